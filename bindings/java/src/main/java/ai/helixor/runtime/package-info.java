/**
 * Opens sealed Helixor decision packs in memory and decides, in process.
 *
 * <p>Generated clients derive from {@link ai.helixor.runtime.Client}; every failure is a
 * {@link ai.helixor.runtime.HelixorException} with a stable code.
 */
package ai.helixor.runtime;

package ai.helixor.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Any failure of Helixor, with a stable {@link #code() code}: one subclass per code, the same in every
 * language.
 *
 * <p>{@link #getMessage()} says what is wrong, {@link #help()} what to do next.
 */
public abstract sealed class HelixorException extends RuntimeException
        permits BufferTooSmallException,
                ClosedException,
                EvaluationException,
                InternalException,
                InvalidArgumentException,
                IoException,
                LedgerOffException,
                LicenseExpiredException,
                LicenseMalformedException,
                LicenseNotFoundException,
                LicenseNotYetValidException,
                LicenseSignatureException,
                LicenseUntrustedException,
                ManifestInvalidException,
                NameCollisionException,
                NotInitializedException,
                PackFormatException,
                PackIntegrityException,
                PackMismatchException,
                PackNotFoundException,
                PackNotLicensedException,
                PackNotLoadedException,
                PackSignatureException,
                PackTooLargeException,
                PackUnsealException,
                PackUnsupportedException,
                PlaybookInvalidException,
                QuotaExceededException,
                SolverNotLicensedException,
                StateMalformedException,
                StateMissingException,
                StateRangeException,
                StateTypeException,
                StateUnknownFieldException,
                VersionSkewException {
    private static final long serialVersionUID = 1L;

    /** The stable code. */
    private final String code;

    /** Its number. */
    private final int number;

    /** What to do next. */
    private final String help;

    /** The faults after this one. */
    private final HelixorException[] others;

    HelixorException(
            String code,
            int number,
            String message,
            String help,
            List<? extends HelixorException> others) {
        super(Objects.requireNonNull(message, "message"));
        this.code = code;
        this.number = number;
        this.help = Objects.requireNonNull(help, "help");
        this.others = others.toArray(HelixorException[]::new);
    }

    /** The exception of a code's number. */
    static HelixorException of(
            int number, String message, String help, List<? extends HelixorException> others) {
        return switch (number) {
            case 1 -> new InvalidArgumentException(message, help, others);
            case 2 -> new NotInitializedException(message, help, others);
            case 3 -> new PackNotLoadedException(message, help, others);
            case 5 -> new IoException(message, help, others);
            case 6 -> new ClosedException(message, help, others);
            case 7 -> new VersionSkewException(message, help, others);
            case 8 -> new BufferTooSmallException(message, help, others);
            case 9 -> new LedgerOffException(message, help, others);
            case 10 -> new LicenseNotFoundException(message, help, others);
            case 11 -> new LicenseMalformedException(message, help, others);
            case 12 -> new LicenseUntrustedException(message, help, others);
            case 13 -> new LicenseSignatureException(message, help, others);
            case 14 -> new LicenseNotYetValidException(message, help, others);
            case 15 -> new LicenseExpiredException(message, help, others);
            case 20 -> new PackNotFoundException(message, help, others);
            case 21 -> new PackTooLargeException(message, help, others);
            case 22 -> new PackFormatException(message, help, others);
            case 23 -> new PackNotLicensedException(message, help, others);
            case 24 -> new PackUnsealException(message, help, others);
            case 25 -> new PackIntegrityException(message, help, others);
            case 26 -> new SolverNotLicensedException(message, help, others);
            case 27 -> new PackUnsupportedException(message, help, others);
            case 28 -> new PackMismatchException(message, help, others);
            case 29 -> new PackSignatureException(message, help, others);
            case 40 -> new PlaybookInvalidException(message, help, others);
            case 41 -> new ManifestInvalidException(message, help, others);
            case 42 -> new NameCollisionException(message, help, others);
            case 50 -> new StateMalformedException(message, help, others);
            case 51 -> new StateMissingException(message, help, others);
            case 52 -> new StateUnknownFieldException(message, help, others);
            case 53 -> new StateTypeException(message, help, others);
            case 54 -> new StateRangeException(message, help, others);
            case 55 -> new EvaluationException(message, help, others);
            case 60 -> new QuotaExceededException(message, help, others);
            // The versions are compared at load, so that every other number is this one.
            default -> new InternalException(message, help, others);
        };
    }

    /**
     * The stable code.
     *
     * @return for example {@code PACK_UNSEAL}
     */
    public final String code() {
        return code;
    }

    /**
     * The stable number of the code, also the status of the C library.
     *
     * @return for example 24
     */
    public final int number() {
        return number;
    }

    /**
     * What to do next.
     *
     * @return the advice; empty when there is nothing to add
     */
    public final String help() {
        return help;
    }

    /**
     * Every fault the call found, this one first; just this one where a call finds only one.
     *
     * @return the faults
     */
    public final List<HelixorException> all() {
        List<HelixorException> all = new ArrayList<>(1 + others.length);
        all.add(this);
        all.addAll(List.of(others));
        return List.copyOf(all);
    }
}

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/**
 * Parses every .java file below a folder with the JDK's own parser and prints one JSON list: of each
 * file its path, how many types and methods it has, and the texts that its types are made with.
 */
class Shapes {
    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]);
        List<Path> paths;
        try (var found = Files.walk(root)) {
            paths = found.filter(path -> path.toString().endsWith(".java")).sorted().toList();
        }
        var compiler = ToolProvider.getSystemJavaCompiler();
        var faults = new DiagnosticCollector<JavaFileObject>();
        var files = compiler.getStandardFileManager(faults, null, java.nio.charset.StandardCharsets.UTF_8);
        var task = (JavacTask) compiler.getTask(
                null, files, faults, List.of("--release", "17"), null, files.getJavaFileObjectsFromPaths(paths));
        List<String> shapes = new ArrayList<>();
        for (CompilationUnitTree unit : task.parse()) {
            shapes.add(shape(root.relativize(Path.of(unit.getSourceFile().toUri())).toString(), unit));
        }
        for (Diagnostic<?> fault : faults.getDiagnostics()) {
            System.err.println(fault);
        }
        System.out.println("[" + String.join(",", shapes) + "]");
        System.exit(faults.getDiagnostics().isEmpty() ? 0 : 1);
    }

    private static String shape(String path, CompilationUnitTree unit) {
        int[] counts = new int[2];
        List<String> wires = new ArrayList<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree tree, Void nothing) {
                counts[0]++;
                return super.visitClass(tree, nothing);
            }

            @Override
            public Void visitMethod(MethodTree tree, Void nothing) {
                counts[1]++;
                return super.visitMethod(tree, nothing);
            }

            @Override
            public Void visitVariable(VariableTree tree, Void nothing) {
                if (tree.getInitializer() instanceof NewClassTree made && made.getArguments().size() == 1) {
                    text(made.getArguments().get(0), wires);
                }
                return super.visitVariable(tree, nothing);
            }
        }.scan(unit, null);
        return "{\"path\":" + json(path) + ",\"types\":" + counts[0] + ",\"methods\":" + counts[1]
                + ",\"wires\":[" + String.join(",", wires.stream().map(Shapes::json).toList()) + "]}";
    }

    private static void text(ExpressionTree tree, List<String> wires) {
        if (tree instanceof LiteralTree literal && literal.getValue() instanceof String value) {
            wires.add(value);
        } else if (tree instanceof MethodInvocationTree joined) {
            List<String> parts = new ArrayList<>();
            joined.getArguments().stream().skip(1).forEach(part -> text(part, parts));
            wires.add(String.join("", parts));
        }
    }

    private static String json(String text) {
        var out = new StringBuilder("\"");
        text.chars().forEach(c -> out.append(
                c >= ' ' && c <= '~' && c != '"' && c != '\\' ? String.valueOf((char) c) : String.format("\\u%04x", c)));
        return out.append('"').toString();
    }
}

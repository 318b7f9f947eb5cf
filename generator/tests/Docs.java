import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.EndElementTree;
import com.sun.source.doctree.EntityTree;
import com.sun.source.doctree.StartElementTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.tools.ToolProvider;

/**
 * Reads the comments of a file's types with the JDK's own parser and prints the text of each on a line;
 * anything but text, paragraphs and code is an error.
 */
class Docs {
    public static void main(String[] arguments) throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        var task = (JavacTask) compiler.getTask(null, files, null, List.of(), null, files.getJavaFileObjects(Path.of(arguments[0])));
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        var trees = DocTrees.instance(task);
        for (var unit : task.parse()) {
            for (var type : unit.getTypeDecls()) {
                var comment = trees.getDocCommentTree(new TreePath(new TreePath(unit), type));
                if (comment.getBlockTags().size() != 1) {
                    throw new IllegalStateException("tags in " + comment);
                }
                var text = new StringBuilder();
                comment.getFullBody().forEach(tree -> text.append(text(tree)));
                out.println(text.toString().replace('\n', ' '));
            }
        }
    }

    private static String text(DocTree tree) {
        if (tree instanceof TextTree text) {
            return text.getBody();
        }
        if (tree instanceof EntityTree entity) {
            String name = entity.getName().toString();
            return switch (name) {
                case "lt" -> "<";
                case "gt" -> ">";
                case "amp" -> "&";
                default -> Character.toString(Integer.parseInt(name.substring(1)));
            };
        }
        String element = tree instanceof StartElementTree start ? start.getName().toString()
                : tree instanceof EndElementTree end ? end.getName().toString() : "";
        if (!List.of("p", "code").contains(element)) {
            throw new IllegalStateException(tree.getKind() + ": " + tree);
        }
        return "";
    }
}

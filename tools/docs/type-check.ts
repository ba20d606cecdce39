import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import ts from 'typescript';

/** Compiler errors of some files of a tree. Repeated checks parse changed files only. */
export class TypeCheck {
  private readonly service: ts.LanguageService;

  constructor(
    private readonly root: string,
    private readonly files: string[],
  ) {
    const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
    const { options, fileNames } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
    const declarations = fileNames.filter((path) => path.endsWith('.d.ts'));
    const roots = [...declarations, ...files.map((file) => join(root, file))];
    this.service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => roots,
      getScriptVersion: (path) => (path.includes('/node_modules/') ? '' : String(statSync(path).mtimeMs)),
      getScriptSnapshot: (path) => {
        const text = ts.sys.readFile(path);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: (of) => ts.getDefaultLibFilePath(of),
      fileExists: (path) => ts.sys.fileExists(path),
      readFile: (path) => ts.sys.readFile(path),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
      realpath: (path) => ts.sys.realpath?.(path) ?? path,
    });
  }

  errors(): string[] {
    return this.files.flatMap((file) => {
      const path = join(this.root, file);
      const found = [
        ...this.service.getSyntacticDiagnostics(path),
        ...this.service.getSemanticDiagnostics(path),
      ];
      return found.map(
        ({ messageText }) =>
          `${relative(this.root, path)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      );
    });
  }
}

import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as ts from 'typescript';
import { checkoutRoot } from '@offizin/local-stack/checkout';
import type { Manifest } from './manifests';

/**
 * Compares manifests with the schemas of Kubernetes and of the custom resources, in two ways. The compiled JSON schemas
 * of the packages kubernetes-models check required fields, enumerations and patterns, and let unknown fields pass. The
 * compiler refuses the fields that the TypeScript interfaces of these packages lack.
 */
export function schemaProblems(manifests: readonly Manifest[]): string[] {
  const described = manifests.filter(({ apiVersion }) => !apiVersion.startsWith(withoutSchema));
  return [...valueProblems(described), ...fieldProblems(described)];
}

/** Where each kind is defined; a group that is not here is refused. */
const packageOf: Record<string, string> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'keda.sh': '@kubernetes-models/keda',
};
/** No package that works with these two describes Gateway API; kubernetes-surroundings.spec.ts looks at its kinds. */
const withoutSchema = 'gateway.networking.k8s.io/';
const groupsOfKubernetes = new Set(['', 'apps', 'autoscaling', 'batch', 'networking.k8s.io', 'policy']);

function moduleOf({ apiVersion, kind }: Manifest): string {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const name =
    packageOf[group ?? ''] ?? (groupsOfKubernetes.has(group ?? '') ? 'kubernetes-models' : undefined);
  if (name === undefined) throw new Error(`No schema for ${apiVersion} ${kind}`);
  return [name, ...(group ? [group] : []), version, kind].join('/');
}

const titleOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

const load = createRequire(join(checkoutRoot, 'package.json'));

type ModelClass = new (manifest: Manifest) => { validate: () => void };

function valueProblems(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap((manifest) => {
    // The modules are many and named by the manifests, so they are loaded when asked for.
    const model = (load(moduleOf(manifest)) as Record<string, ModelClass>)[manifest.kind];
    if (!model) return [`${titleOf(manifest)}: no class ${manifest.kind}`];
    try {
      new model(manifest).validate();
      return [];
    } catch (error) {
      return [`${titleOf(manifest)}: ${error instanceof Error ? error.message : String(error)}`];
    }
  });
}

/** Each manifest becomes a constant of its kind's interface; the compiler reports which fields do not belong. */
function fieldProblems(manifests: readonly Manifest[]): string[] {
  const file = join(checkoutRoot, 'manifests-under-check.ts');
  const lines = manifests.map(
    (manifest) =>
      `{ const _: import('${moduleOf(manifest)}').I${manifest.kind} = ${JSON.stringify(manifest)}; }`,
  );
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
  };
  const text = ['export {};', ...lines].join('\n');
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => path === file || disk.fileExists(path),
    readFile: (path) => (path === file ? text : disk.readFile(path)),
    getSourceFile: (path, language, ...others) =>
      path === file
        ? ts.createSourceFile(path, text, language)
        : disk.getSourceFile(path, language, ...others),
  };
  const program = ts.createProgram([file], options, host);
  return [
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
    ...program.getSemanticDiagnostics(),
  ].map((found) => {
    const line = found.file?.getLineAndCharacterOfPosition(found.start ?? 0).line ?? 0;
    const manifest = found.file?.fileName === file ? manifests[line - 1] : undefined;
    return `${manifest ? titleOf(manifest) : (found.file?.fileName ?? '')}: ${ts.flattenDiagnosticMessageText(found.messageText, ' ')}`;
  });
}

import { join } from 'node:path';
import ts from 'typescript';
import { checkoutRoot } from '@offizin/local-stack/checkout';

/** Where the product declares statements, and the types that it declares for their parameters and rows. */

/** A place in the code that makes one statement, or several whose names it builds. */
export interface Site {
  /** Path and line. */
  at: string;
  path: string;
  /** Null where it is built. */
  name: string | null;
  names: RegExp;
  /** By name, or by number from `1`; null: another place declares them. */
  params: ReadonlyMap<string, Kind> | null;
  /** By name, or the only column; null: the code reads no row, or another place declares it. */
  row: Map<string, Kind> | Kind | null;
}

export type KindName = 'string' | 'number' | 'boolean' | 'Date' | 'bytes' | 'object' | 'unknown';

export interface Kind {
  /** Of the members of a union, without null. */
  kinds: readonly KindName[];
  isArray: boolean;
  isNullable: boolean;
  isOptional: boolean;
  /** Declared for the statement alone, instead of by an entity or the contract. */
  isByHand: boolean;
}

/** What each function of libs/pg takes as type arguments: rows of, one value of, or none that is read; `page`: `show` does. */
type Reads = 'row' | 'value' | 'none' | 'page';
const MAKERS = new Map<string, Reads>([
  ...(['statement', 'rowsOf', 'rowOf'] as const).map((name) => [name, 'row'] as const),
  ...(['valuesOf', 'valueOf'] as const).map((name) => [name, 'value'] as const),
  ...(['countOf', 'isHitOf', 'changeOf'] as const).map((name) => [name, 'none'] as const),
  ['listPage', 'page'],
]);
const MADE_IN = /^libs\/pg\/(?:database|queries|list-page)\.ts$/;
/** Pass names and types on. */
const NO_PLACE = /^libs\/pg\/(?:database|queries)\.ts$/;
const PRODUCT = /^(?:apps\/(?!console|reference)|libs\/)(?!.*\.spec\.ts$|.*\/spec\/)/;

export function statementSites(): Site[] {
  const root = checkoutRoot;
  const read = ts.readConfigFile(join(checkoutRoot, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, root);
  const pathOf = (name: string): string => name.slice(root.length).replace(/^\//, '');
  const program = ts.createProgram(
    fileNames.filter((name) => PRODUCT.test(pathOf(name))),
    {
      ...options,
      incremental: false,
      tsBuildInfoFile: undefined,
    },
  );
  const checker = program.getTypeChecker();
  const sites: Site[] = [];
  for (const file of program.getSourceFiles()) {
    const path = pathOf(file.fileName);
    if (!PRODUCT.test(path) || NO_PLACE.test(path)) continue;
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node)) {
        const maker = makerOf(checker, node, pathOf);
        if (maker) sites.push(siteOf(checker, node, { maker, path, file }));
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return sites;
}

function makerOf(
  checker: ts.TypeChecker,
  { expression }: ts.CallExpression,
  pathOf: (name: string) => string,
): string | null {
  if (!ts.isIdentifier(expression) || !MAKERS.has(expression.text)) return null;
  const symbol = checker.getSymbolAtLocation(expression);
  const own = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declared = own?.declarations?.[0];
  return declared && MADE_IN.test(pathOf(declared.getSourceFile().fileName)) ? expression.text : null;
}

interface Place {
  maker: string;
  path: string;
  file: ts.SourceFile;
}

function siteOf(checker: ts.TypeChecker, call: ts.CallExpression, { maker, path, file }: Place): Site {
  const { line } = file.getLineAndCharacterOfPosition(call.getStart());
  const at = `${path}:${line + 1}`;
  const [name, options] = call.arguments;
  const reads: Reads = MAKERS.get(maker) ?? 'none';
  if (reads === 'page') {
    const names = new RegExp(`${namesOf(nameIn(options)).source.slice(0, -1)}#\\d+$`);
    return { at, path, name: null, names, params: null, row: pageRowOf(checker, call) };
  }
  const signature = checker.getResolvedSignature(call);
  const made = signature ? checker.getReturnTypeOfSignature(signature) : undefined;
  const given = call.typeArguments?.map((node) => checker.getTypeFromTypeNode(node));
  // A statement without type arguments has those of the place that it is written for.
  const inferred = made && maker === 'statement' ? checker.getTypeArguments(made as ts.TypeReference) : [];
  const [first, second] = given ?? inferred;
  const node = call.typeArguments?.[0];
  const params = reads === 'none' ? first : second;
  return {
    at,
    path,
    name: name && ts.isStringLiteralLike(name) ? name.text : null,
    names: namesOf(name),
    params: params ? paramsOf(checker, params) : null,
    row:
      reads === 'none' || !first
        ? null
        : reads === 'value'
          ? kindOf(checker, first, node !== undefined && !namesDeclared(checker, node))
          : membersOf(checker, first),
  };
}

/** The value of `name` in the options of a list. */
function nameIn(options: ts.Expression | undefined): ts.Expression | undefined {
  if (!options || !ts.isObjectLiteralExpression(options)) return undefined;
  return options.properties.find(
    (each): each is ts.PropertyAssignment =>
      ts.isPropertyAssignment(each) && ts.isIdentifier(each.name) && each.name.text === 'name',
  )?.initializer;
}

/** What `show` takes, and the total of the list. */
function pageRowOf(checker: ts.TypeChecker, call: ts.CallExpression): Site['row'] {
  const [, options] = checker.getResolvedSignature(call)?.getParameters() ?? [];
  const show = options && checker.getPropertyOfType(checker.getTypeOfSymbol(options), 'show');
  const [shown] = show ? checker.getTypeOfSymbol(show).getCallSignatures() : [];
  const [row] = shown?.getParameters() ?? [];
  const columns = row ? membersOf(checker, checker.getTypeOfSymbol(row)) : null;
  const total = { isArray: false, isNullable: false, isOptional: false, isByHand: true };
  return columns?.set('total', { kinds: ['string'], ...total }) ?? null;
}

function namesOf(name: ts.Expression | undefined): RegExp {
  const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  if (name && ts.isStringLiteralLike(name)) return new RegExp(`^${escaped(name.text)}$`);
  if (name && ts.isTemplateExpression(name)) {
    const spans = name.templateSpans.map(({ literal }) => `.*${escaped(literal.text)}`);
    return new RegExp(`^${escaped(name.head.text)}${spans.join('')}$`);
  }
  return /^.*$/;
}

function paramsOf(checker: ts.TypeChecker, type: ts.Type): Site['params'] {
  if (checker.isTupleType(type)) {
    const kinds = checker.getTypeArguments(type as ts.TypeReference).map((each) => kindOf(checker, each));
    return new Map(kinds.map((kind, at) => [String(at + 1), kind]));
  }
  return checker.isArrayType(type) ? null : membersOf(checker, type);
}

/** Columns of a row, or parameters by name. */
function membersOf(checker: ts.TypeChecker, type: ts.Type): Map<string, Kind> | null {
  if (type.flags & (ts.TypeFlags.Never | ts.TypeFlags.TypeParameter)) return null;
  const members = type.isUnion() ? type.types : [type];
  const found = new Map<string, Kind>();
  for (const member of members) {
    if (checker.getIndexInfosOfType(member).length > 0) return null;
    for (const property of checker.getPropertiesOfType(member)) {
      const kind = kindOf(checker, checker.getTypeOfSymbol(property), !isDeclared(checker, property));
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const known = found.get(property.name);
      found.set(property.name, {
        kinds: [...new Set([...(known?.kinds ?? []), ...kind.kinds])],
        isArray: kind.isArray || known?.isArray === true,
        isNullable: kind.isNullable || known?.isNullable === true,
        isOptional: isOptional || known?.isOptional === true,
        isByHand: kind.isByHand || known?.isByHand === true,
      });
    }
  }
  return found;
}

const BYTES = new Set(['Buffer', 'Uint8Array', 'ArrayBufferView']);

function kindOf(checker: ts.TypeChecker, type: ts.Type, isByHand = false): Kind {
  const members = type.isUnion() ? type.types : [type];
  const empty = ts.TypeFlags.Null | ts.TypeFlags.Undefined | ts.TypeFlags.Void;
  const values = members.filter(({ flags }) => (flags & empty) === 0);
  const arrays = values.filter((value) => checker.isArrayLikeType(value) && !checker.isTupleType(value));
  const isArray = values.length > 0 && arrays.length === values.length;
  const parts = isArray
    ? arrays.flatMap((array) => {
        const [element] = checker.getTypeArguments(array as ts.TypeReference);
        const each = element?.isUnion() ? element.types : element ? [element] : [];
        return each.filter(({ flags }) => (flags & empty) === 0);
      })
    : values;
  return {
    kinds: [...new Set(parts.map(nameOfKind))],
    isArray,
    isNullable: members.length > values.length,
    isOptional: members.some(({ flags }) => (flags & ts.TypeFlags.Undefined) !== 0),
    // Null alone declares nothing.
    isByHand: isByHand && parts.length > 0,
  };
}

const CONTRACT = /\/libs\/contracts\//;

/** Whether a property is a column of an entity or a field of the contract, as with `Pick`, or has the type of one. */
function isDeclared(checker: ts.TypeChecker, { declarations = [] }: ts.Symbol): boolean {
  return (
    declarations.length > 0 &&
    declarations.every(
      (one) =>
        isColumn(one) ||
        CONTRACT.test(one.getSourceFile().fileName) ||
        (ts.isPropertySignature(one) && one.type !== undefined && namesDeclared(checker, one.type)),
    )
  );
}

function isColumn(declaration: ts.Declaration): boolean {
  const decorators = ts.isPropertyDeclaration(declaration) ? (ts.getDecorators(declaration) ?? []) : [];
  return decorators.some(
    ({ expression }) =>
      ts.isCallExpression(expression) && /^(?:Primary)?Column$/.test(expression.expression.getText()),
  );
}

/** `Entity['column']`, also without null, or with it. */
function namesDeclared(checker: ts.TypeChecker, node: ts.TypeNode): boolean {
  if (ts.isUnionTypeNode(node))
    return node.types.every((each) => isNull(each) || namesDeclared(checker, each));
  if (ts.isTypeReferenceNode(node) && node.typeName.getText() === 'NonNullable')
    return node.typeArguments?.every((each) => namesDeclared(checker, each)) === true;
  if (!ts.isIndexedAccessTypeNode(node)) return false;
  const { objectType, indexType } = node;
  const name =
    ts.isLiteralTypeNode(indexType) && ts.isStringLiteral(indexType.literal) ? indexType.literal.text : '';
  const property = checker.getPropertyOfType(checker.getTypeFromTypeNode(objectType), name);
  return property !== undefined && isDeclared(checker, property);
}

function isNull(node: ts.TypeNode): boolean {
  return ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword;
}

function nameOfKind(type: ts.Type): KindName {
  if (type.flags & ts.TypeFlags.StringLike) return 'string';
  if (type.flags & ts.TypeFlags.NumberLike) return 'number';
  if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return 'unknown';
  if (type.symbol?.name === 'Date') return 'Date';
  if (BYTES.has(type.symbol?.name)) return 'bytes';
  // A text that is marked as one of a kind.
  if (type.isIntersection() && type.types.some(({ flags }) => flags & ts.TypeFlags.StringLike))
    return 'string';
  return 'object';
}

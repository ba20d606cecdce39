/** The part of an address after "?" as the console reads and writes it: names and texts, nothing nested. */

export function parseAddress(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeAddress(search: Record<string, unknown>): string {
  const texts = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts).toString()}`;
}

type Values = readonly string[];
/** Null: any text. */
type Fields = Readonly<Record<string, Values | null>>;
type Read<Known extends Fields> = {
  [Name in keyof Known]?: Known[Name] extends Values ? Known[Name][number] : string;
};

/** An address that a person may have typed, or that an older link has: unknown names and values are dropped. */
export function readAddress<const Known extends Fields>(
  search: Readonly<Record<string, unknown>>,
  known: Known,
): Read<Known> {
  const read = Object.entries(known).filter(([name, values]) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' && (values === null || values.includes(value));
  });
  return Object.fromEntries(read.map(([name]) => [name, search[name]])) as Read<Known>;
}

/** Whether rows may be missing because of a filter. `none` is the change of the address that takes all of them away. */
export function isFiltered(search: object, none: object): boolean {
  return Object.entries(search).some(([name, value]) => name in none && value !== undefined);
}

type Defined<Given> = { [Name in keyof Given]?: Exclude<Given[Name], undefined> };

export function withoutUndefined<Given extends object>(fields: Given): Defined<Given> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Defined<Given>;
}

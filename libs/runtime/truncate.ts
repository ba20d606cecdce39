const MAX_NAME_LENGTH = 100;

/** For an error message: the answer must fit into a bus message. */
export function truncateName(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  return `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…`;
}

/** The number of a lot as the server stores it, of what a person has typed. */
export function lotOf(text: string): string {
  return text.normalize('NFC').trim().toUpperCase();
}

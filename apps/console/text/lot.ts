/** The number of a lot as the server stores it, of what a person has typed or copied: blanks of any kind are one. */
export function lotOf(text: string): string {
  return text.normalize('NFC').trim().replace(/\s+/g, ' ').toUpperCase();
}

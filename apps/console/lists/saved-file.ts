import type { Language } from '../text/formats';

/** A list that a person saves: its form, the name of the file, and the saving. */

/** The spreadsheets of a German computer expect other separators than all others. */
export function csvTypeFor(language: Language): string {
  return language === 'de' ? 'text/csv; header=present; dialect=excel-de' : 'text/csv; header=present';
}

/** Characters that a file system refuses become a dash. */
export function fileName(title: string, organization: string, day: string): string {
  const plain = organization.replace(/[\u0000-\u001f\u007f<>:"/\\|?*]+/g, '-');
  return `${title} ${plain} ${day}.csv`;
}

/** As the browser saves a download. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

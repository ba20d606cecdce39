import { GERMAN_ON_US, type Layout, US_ON_GERMAN } from '@offizin/codes/scan';
import { LAYOUT_CODE, layoutOf, sentText } from './scanner-layout';

/** How a text arrives at a device with another keyboard. */
function arrived(text: string, keys: Layout): string {
  const arrivesAs = new Map(Object.entries(keys).map(([key, meant]) => [meant, key]));
  return [...text].map((character) => arrivesAs.get(character) ?? character).join('');
}

describe('the keyboard of a scanner', () => {
  it.each([
    ['the same', LAYOUT_CODE, 'same'],
    ['the same, with blanks and the identifier of the code', ` ]d1${LAYOUT_CODE} `, 'same'],
    ['US at a German device', 'AQMWZYzyß?-§öÖ0189', 'us_on_german'],
    [
      'US at a German device, with the identifier',
      `+d1${arrived(LAYOUT_CODE, US_ON_GERMAN)}`,
      'us_on_german',
    ],
    ['German at a US device', arrived(LAYOUT_CODE, GERMAN_ON_US), 'german_on_us'],
    ['German at a US device, with the identifier', `d1${arrived(LAYOUT_CODE, GERMAN_ON_US)}`, 'german_on_us'],
    ['French at a German device', 'QA;ZYXwy', null],
    ['any, with Caps Lock', 'aqmwyzYZ-_/#;:0189', null],
    ['any, cut', LAYOUT_CODE.slice(0, -1), null],
    ['another code', '03752864', null],
    ['nothing', '', null],
  ] as const)('is known: %s', (_, text, layout) => {
    expect(layoutOf(text)).toBe(layout);
  });

  it.each([
    ['US at a German device', 'us_on_german', 'ß03752864', '-03752864'],
    ['US at a German device', 'us_on_german', '+d20104150037528643\x1d10AYß', ']d20104150037528643\x1d10AZ-'],
    ['US at a German device', 'us_on_german', 'P1ß1001', 'P1-1001'],
    ['German at a US device', 'german_on_us', '/03752864', '-03752864'],
    [
      'German at a US device, without its bracket',
      'german_on_us',
      'd20104150037528643\x1d10AY',
      ']d20104150037528643\x1d10AZ',
    ],
    [
      'German at a US device, without its bracket',
      'german_on_us',
      '(|\x1e06\x1d9N110375286414\x1e\x04',
      '[)>\x1e06\x1d9N110375286414\x1e\x04',
    ],
    ['the same', 'same', '-03752864', '-03752864'],
    [
      'a scanner that was exchanged',
      'us_on_german',
      ']d20104150037528643\x1d10AZ',
      ']d20104150037528643\x1d10AZ',
    ],
  ] as const)('reads %s (%s): %j', (_, layout, text, sent) => {
    expect(sentText(text, layout)).toBe(sent);
  });
});

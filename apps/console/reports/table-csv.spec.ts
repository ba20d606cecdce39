import { tableCsv } from './table-csv';

it('has Umlauts, semicolons and decimal commas in German, commas and decimal points in English', () => {
  const table = [['Käthe "K" Weiß; Söhne', 12.5, null]];
  expect(tableCsv(['Kunde', 'Umsatz'], table, 'de')).toBe(
    '\uFEFF"Kunde";"Umsatz"\r\n"Käthe ""K"" Weiß; Söhne";12,5;\r\n',
  );
  expect(tableCsv(['Customer'], [['A', 1200.5]], 'en')).toBe('"Customer"\r\n"A",1200.5\r\n');
});

it('lets no spreadsheet run a name, and leaves negative numbers', () => {
  expect(tableCsv(['=1+1'], [['@SUM(A1)', -3]], 'en')).toBe(`"'=1+1"\r\n"'@SUM(A1)",-3\r\n`);
});

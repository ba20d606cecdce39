import type { OrderStatus } from '@offizin/contracts/orders';
import { orders } from './orders-de';

const status: Record<OrderStatus, string> = orders.status;

/** German texts of the reports screen. reports-en.ts has the same keys, by its type. */
export const reports = {
  title: 'Berichte',
  span: 'Zeitraum',
  spans: { 7: '7 Tage', 30: '30 Tage', 90: '90 Tage' },
  ownSpan: 'Eigener Zeitraum',
  from: 'Von',
  to: 'Bis',
  days: (from: string, to: string) => `${from} bis ${to}`,
  loading: 'Berichte werden geladen …',
  figures: 'Kennzahlen',
  tile: {
    orders: 'Aufträge',
    revenue: 'Umsatz',
    average: 'Je Auftrag',
    customers: 'Kunden',
  },
  none: '–',
  before: (change: string) => `${change} zum Zeitraum davor`,
  noBefore: 'davor: nichts',
  tooLong: (days: number) => `Ein Zeitraum hat höchstens ${days} Tage. Bitte wählen Sie einen kürzeren.`,
  empty: 'Keine Aufträge in diesem Zeitraum.',
  status,
  byStatus: 'Aufträge nach Status',
  topProducts: 'Produkte nach Umsatz',
  topCustomers: 'Kunden nach Umsatz',
  nameless: 'Ohne Namen',
  column: {
    status: 'Status',
    orders: 'Aufträge',
    revenue: 'Umsatz',
    product: 'Produkt',
    pieces: 'Stück',
    customer: 'Kunde',
  },
  tableNote: 'Ohne stornierte Aufträge. Umsatz wie im Auftrag gespeichert.',
  statusNote: 'Wie die Aufträge jetzt stehen, auch stornierte.',
  barsLabel: (title: string, first: string) => `${title}. An erster Stelle: ${first}.`,
  asTable: 'Als Tabelle',
  asPlot: 'Als Balken',
};

export type ReportTexts = typeof reports;

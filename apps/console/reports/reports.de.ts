import type { RejectionReason } from '@offizin/contracts/requests/order-requests';
import type { OrderStatus } from '@offizin/contracts/orders/orders';
import { orders } from '../orders/orders/orders.de';
import { requests } from '../text/requests.de';

const status: Record<OrderStatus, string> = orders.status;
const reason: Record<RejectionReason, string> = requests.reason;

/** German texts of the reports screen. reports.en.ts has the same keys, by its type. */
export const reports = {
  title: 'Berichte',
  span: 'Zeitraum',
  spans: { 7: '7 Tage', 30: '30 Tage', 90: '90 Tage' },
  month: 'Monat',
  monthBefore: 'Monat davor',
  monthAfter: 'Monat danach',
  ownSpan: 'Eigener Zeitraum',
  from: 'Von',
  to: 'Bis',
  days: (from: string, to: string) => `Aufträge, Umsatz und Anfragen vom ${from} bis zum ${to}.`,
  loading: 'Berichte werden geladen …',
  figures: 'Kennzahlen',
  tile: {
    orders: 'Aufträge',
    revenue: 'Umsatz',
    rejected: 'Abgelehnt',
    average: 'Je Auftrag',
    customers: 'Kunden',
  },
  percent: (number: string) => `${number} %`,
  none: '–',
  before: (change: string) => `${change} zum Zeitraum davor`,
  noBefore: 'davor: keine Daten',
  tooLong: (days: number) => `Ein Zeitraum hat höchstens ${days} Tage`,
  tooLongHint: 'Bitte wählen Sie einen kürzeren.',
  empty: 'Weder Anfragen noch Aufträge in diesem Zeitraum',
  emptyHint: 'Wählen Sie einen anderen Zeitraum oder Shop.',
  status,
  reason,
  ordersByDay: 'Aufträge je Tag',
  revenueByDay: 'Umsatz je Tag',
  requestsByDay: 'Anfragen nach Ergebnis',
  outcome: {
    requests: 'Anfragen',
    approved: 'Freigegeben',
    rejected: 'Abgelehnt',
    rest: 'Offen, abgelaufen, zurückgezogen',
  },
  reasons: 'Ablehnungsgründe',
  runningOut: 'Bald ausverkauft',
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
    day: 'Tag',
    reason: 'Grund',
    requests: 'Anfragen',
    available: 'Verfügbar',
    sold: 'In 28 Tagen verkauft',
    daysLeft: 'Reicht noch Tage',
  },
  tableNote: 'Ohne stornierte Aufträge. Umsatz wie im Auftrag gespeichert.',
  statusNote: 'Wie die Aufträge jetzt stehen, auch stornierte.',
  requestsNote: 'Nach dem Tag des Eingangs, wie die Anfragen jetzt stehen.',
  runningOutNote: (shown: string, all: string) =>
    `${shown} von ${all} Produkten, deren Bestand höchstens 28 Tage reicht, wenn so viel verkauft wird wie zuletzt. Bestand aller Shops, heute.`,
  daysLeft: (days: number, number: string) => (days === 1 ? '1 Tag' : `${number} Tage`),
  daysLabel: (title: string, sum: string) => `${title}. Zusammen: ${sum}.`,
  outcomesLabel: (requests: string, approved: string, rejected: string) =>
    `Anfragen nach Ergebnis. Eingegangen: ${requests}, freigegeben: ${approved}, abgelehnt: ${rejected}.`,
  barsLabel: (title: string, first: string) => `${title}. An erster Stelle: ${first}.`,
  asTable: 'Als Tabelle',
  asPlot: 'Als Balken',
  print: 'Drucken',
};

export type ReportTexts = typeof reports;

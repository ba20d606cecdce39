/**
 * What the operator asks of an organization for a month: base, plus so much per order, plus per cent of the revenue.
 * Decimal texts, because PostgreSQL's numeric computes with them and no float may come near.
 */
export class ServiceFee {
  readonly baseEur: string;
  readonly perOrderEur: string;
  readonly perCent: string;

  constructor(settings: {
    serviceFeeBaseEur: string;
    serviceFeePerOrderEur: string;
    serviceFeePerCent: string;
  }) {
    this.baseEur = settings.serviceFeeBaseEur;
    this.perOrderEur = settings.serviceFeePerOrderEur;
    this.perCent = settings.serviceFeePerCent;
  }
}

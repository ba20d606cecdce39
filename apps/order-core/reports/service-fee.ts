/**
 * The operator's monthly fee for an organization: base, plus an amount per order, plus per cent of the revenue.
 * Decimal texts, because PostgreSQL computes with numeric; a float would introduce rounding errors.
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

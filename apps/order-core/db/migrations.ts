import { Schema0001 } from './0001-schema';
import { DailySumDeltas0002 } from './0002-daily-sum-deltas';
import { DailySums0003 } from './0003-daily-sums';
import { OrderNotes0004 } from './0004-order-notes';
import { PrescriptionCounters0005 } from './0005-prescription-counters';
import { CountPrescriptions0006 } from './0006-count-prescriptions';
import { AuditFilters0007 } from './0007-audit-filters';
import { FourEyes0008 } from './0008-four-eyes';
import { SecondFactors0009 } from './0009-second-factors';
import { SignOn0010 } from './0010-sign-on';
import { RequestOutcomes0012 } from './0012-request-outcomes';
import { FillRequestOutcomes0013 } from './0013-fill-request-outcomes';
import { SavedViews0014 } from './0014-saved-views';
import { Deltas0015 } from './0015-deltas';
import { TotpSetUps0016 } from './0016-totp-set-ups';
import { OrderMetadata0017 } from './0017-order-metadata';
import { RequestMetadata0018 } from './0018-request-metadata';
import { RequestIntegrations0019 } from './0019-request-integrations';
import { FirstKeys0020 } from './0020-first-keys';
import { OutboxIntegrations0021 } from './0021-outbox-integrations';
import { OrderHistoryMonths0022 } from './0022-order-history-months';
import { LooseObjects0024 } from './0024-loose-objects';

/** In ascending order; docs/changing-the-schema.md says how to add one. */
export const migrations = [
  Schema0001,
  DailySumDeltas0002,
  DailySums0003,
  OrderNotes0004,
  PrescriptionCounters0005,
  CountPrescriptions0006,
  AuditFilters0007,
  FourEyes0008,
  SecondFactors0009,
  SignOn0010,
  RequestOutcomes0012,
  FillRequestOutcomes0013,
  SavedViews0014,
  Deltas0015,
  TotpSetUps0016,
  OrderMetadata0017,
  RequestMetadata0018,
  RequestIntegrations0019,
  FirstKeys0020,
  OutboxIntegrations0021,
  OrderHistoryMonths0022,
  LooseObjects0024,
];

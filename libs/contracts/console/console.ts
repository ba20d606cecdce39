import { getCustomer } from './customer';
import { findAddable, getAssortmentProduct, listAssortment } from '../products/assortment';
import { reportDaily, reportReview } from '../reports/console-reports';
import { openLive, setPresence } from './live';
import { addOrderMark, addOrderNote } from '../orders/order-notes';
import {
  createPasskey,
  givePasskey,
  listPasskeys,
  removePasskey,
  requestPasskey,
  requestPasskeyConfirmation,
  requestPasskeySignIn,
} from '../people/passkeys';
import { countOrders, getPipelineOrder, listPipeline } from '../orders/pipeline';
import { checkDay, listDay } from '../requests/day';
import {
  countRequests,
  checkPrescriber,
  getReview,
  listReviews,
  noteView,
  planRequest,
  readEPrescription,
  readReviewDocument,
  setReviewMarks,
  withdrawApproval,
} from '../requests/review';
import { listReviewPeople } from '../requests/review-plan';
import { readIngestedToken } from '../requests/prescriptions';
import { findReviewProducts } from '../requests/review-products';
import { getReviewSettings, setReviewSettings } from '../requests/review-settings';
import { searchAll } from './search';
import {
  beginSetUp,
  beginTotp,
  confirmTotp,
  finishSetUp,
  getSecondFactor,
  getSignInRules,
  giveSecondFactor,
  removeTotp,
  setSignInRules,
} from '../people/second-factor';
import {
  acceptLink,
  changePassword,
  changePreferences,
  confirmSession,
  endSession,
  getSession,
  listSessions,
  readLink,
  signIn,
  signOut,
} from '../people/sessions';
import {
  finishSignOn,
  getSignOnSettings,
  removeSignOnSettings,
  setSignOnSettings,
  startSignOn,
} from '../people/sign-on';
import {
  createLink,
  createStaff,
  findNames,
  listStaff,
  removeSecondFactor,
  signOutStaff,
  updateStaff,
} from '../people/staff';
import { countMissed, readWebhookStats, searchDeliveries } from '../webhooks/webhook-health';
import { getStock, listRunningOut, listStock, setStockThreshold } from '../products/stock';
import { createView, listViews, removeView, updateView } from './views';

/** The operations that only the console has. They are mounted under `/console`, next to those of the organization API. */
export const consoleOperations = [
  // Signing in, the session and the person's own settings
  signIn,
  readLink,
  acceptLink,
  getSession,
  signOut,
  confirmSession,
  listSessions,
  endSession,
  changePreferences,
  changePassword,
  // The second factor
  giveSecondFactor,
  beginSetUp,
  finishSetUp,
  getSecondFactor,
  beginTotp,
  confirmTotp,
  removeTotp,
  requestPasskeySignIn,
  givePasskey,
  requestPasskeyConfirmation,
  listPasskeys,
  requestPasskey,
  createPasskey,
  removePasskey,
  // Single sign-on at the organization's provider
  startSignOn,
  finishSignOn,
  getSignOnSettings,
  setSignOnSettings,
  removeSignOnSettings,
  // People of the organization
  listStaff,
  createStaff,
  updateStaff,
  createLink,
  signOutStaff,
  removeSecondFactor,
  findNames,
  getSignInRules,
  setSignInRules,
  // Review of order requests
  listReviews,
  countRequests,
  getReview,
  readReviewDocument,
  readEPrescription,
  noteView,
  setReviewMarks,
  planRequest,
  listDay,
  checkDay,
  listReviewPeople,
  withdrawApproval,
  checkPrescriber,
  findReviewProducts,
  getReviewSettings,
  setReviewSettings,
  // Prescriptions
  readIngestedToken,
  // Search over all, and one person
  searchAll,
  getCustomer,
  // Saved views of lists
  listViews,
  createView,
  updateView,
  removeView,
  // Orders by status
  listPipeline,
  countOrders,
  getPipelineOrder,
  addOrderNote,
  addOrderMark,
  // Stock, and the products of a shop
  listStock,
  getStock,
  setStockThreshold,
  listRunningOut,
  listAssortment,
  getAssortmentProduct,
  findAddable,
  // Webhooks: health and deliveries
  readWebhookStats,
  countMissed,
  searchDeliveries,
  // Reports
  reportDaily,
  reportReview,
  // Live, answered by the gateway itself
  openLive,
  setPresence,
] as const;

/** Under which path the gateway mounts the console's door. */
export const CONSOLE_DOOR = '/console';

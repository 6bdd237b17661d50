import type { Arrival, Arriving, StoredRow } from '../../../infra/arrival'
import type { OrganizationTable } from '../../../infra/organization-tables'
import { columnsLeftBehind } from '../../../infra/table-fates'
import { chunkArrival, contextArrival } from '../../automation/ai/arrive'
import {
  reportArrival,
  reportMailArrival,
  reportRunArrival,
} from '../../insight/analytics/scheduled/arrive'
import { apiKeyArrival } from '../../organization/api-keys/arrive'
import { auditArrival } from '../../organization/audit/arrive'
import {
  campaignArrival,
  campaignCountArrival,
  recipientArrival,
} from '../../outreach/campaigns/arrive'
import { botInboxArrival, botSessionArrival } from '../../automation/chatbot/arrive'
import { contactArrival, identityArrival } from '../../inbox/contacts/arrive'
import { conversationArrival } from '../../inbox/conversations/arrive'
import { importArrival } from '../imports/arrive'
import { brandingArrival, mediaArrival } from '../../channel/media/arrive'
import { invitationArrival } from '../../organization/members/invitations/arrive'
import { messageArrival } from '../../inbox/messages/arrive'
import { privacyRequestArrival } from '../privacy/arrive'
import { scheduledArrival } from '../../inbox/scheduled-messages/arrive'
import { tagArrival } from '../../inbox/tags/arrive'
import { organizationArrival } from '../../organization/organizations/arrive'
import { transferArrival } from '../../automation/transfers/arrive'
import { deliveryArrival, endpointArrival, replayArrival } from '../../delivery/webhooks/arrive'
import { jobArrival, keyArrival } from './moving-arrivals'

/** What the tables do with rows that arrive. Rows of other tables are stored as they are. */
export const ARRIVALS: Readonly<Record<string, Arrival>> = {
  ai_chunks: chunkArrival,
  ai_contexts: contextArrival,
  api_keys: apiKeyArrival,
  audit_logs: auditArrival,
  bot_inbox: botInboxArrival,
  bot_sessions: botSessionArrival,
  campaign_counts: campaignCountArrival,
  campaign_recipients: recipientArrival,
  campaigns: campaignArrival,
  contact_identities: identityArrival,
  contacts: contactArrival,
  conversations: conversationArrival,
  idempotency_keys: keyArrival,
  imports: importArrival,
  invitations: invitationArrival,
  jobs: jobArrival,
  media: mediaArrival,
  messages: messageArrival,
  organization_branding: brandingArrival,
  organizations: organizationArrival,
  privacy_requests: privacyRequestArrival,
  scheduled_messages: scheduledArrival,
  scheduled_report_mails: reportMailArrival,
  scheduled_report_runs: reportRunArrival,
  scheduled_reports: reportArrival,
  tags: tagArrival,
  transfers: transferArrival,
  webhook_deliveries: deliveryArrival,
  webhook_endpoints: endpointArrival,
  webhook_replays: replayArrival,
}

/** What rows are changed by as they arrive, beside their own values. */
interface ArrivingWith extends Omit<Arriving, 'isFileGone'> {
  /** The files of the archive. */
  files: { has: (name: string) => boolean }
}

/** Returns a row as its table takes it in, `null` if it stays behind. */
export function changedOnArrival(
  table: string,
  row: StoredRow,
  { files, ...arriving }: ArrivingWith,
): StoredRow | null {
  const change = ARRIVALS[table]?.change
  const storedAs = row['stored_as']
  const isFileGone = typeof storedAs === 'string' && !files.has(storedAs)
  return change ? change(row, { ...arriving, isFileGone }) : row
}

/** Returns the values of columns of a table for which no archive can vouch. */
export const unvouchedValues = (
  { fate }: OrganizationTable,
  travel: { isMove: boolean },
): StoredRow =>
  Object.fromEntries(
    columnsLeftBehind(fate, travel).flatMap(({ name, vouched }) =>
      vouched?.otherwise === undefined ? [] : [[name, vouched.otherwise as StoredRow[string]]],
    ),
  )

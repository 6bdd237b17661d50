import { accountsModule } from './channel/accounts/module'
import { aiModule } from './automation/ai/module'
import { analyticsModule } from './insight/analytics/module'
import { apiKeysModule } from './organization/api-keys/module'
import { auditModule } from './organization/audit/module'
import { authModule } from './organization/auth/module'
import { callsModule } from './channel/calls/module'
import { campaignsModule } from './outreach/campaigns/module'
import { cannedResponsesModule } from './inbox/canned-responses/module'
import { cellsModule } from './data/cells/module'
import { chatbotModule } from './automation/chatbot/module'
import { chatbotSettingsModule } from './automation/chatbot-settings/module'
import { contactOperationsModule } from './inbox/contact-operations/module'
import { contactsModule } from './inbox/contacts/module'
import { conversationsModule } from './inbox/conversations/module'
import { customActionsModule } from './automation/custom-actions/module'
import { exportsModule } from './data/exports/module'
import { flowsModule } from './channel/flows/module'
import { importsModule } from './data/imports/module'
import { inboundModule } from './channel/inbound/module'
import { mediaModule } from './channel/media/module'
import { membersModule } from './organization/members/module'
import { membershipsModule } from './organization/memberships/module'
import { messagesModule } from './inbox/messages/module'
import { notificationsModule } from './organization/notifications/module'
import { ordersModule } from './inbox/orders/module'
import { organizationArchiveModule } from './data/organization-archive/module'
import { organizationDeletionModule } from './data/organization-deletion/module'
import { organizationImportModule } from './data/organization-import/module'
import { organizationMoveModule } from './data/organization-move/module'
import { organizationsModule } from './organization/organizations/module'
import { pricesModule } from './channel/prices/module'
import { privacyModule } from './data/privacy/module'
import { productImportsModule } from './data/product-imports/module'
import { pushModule } from './delivery/push/module'
import { realtimeModule } from './delivery/realtime/module'
import { retentionModule } from './data/retention/module'
import { rolesModule } from './organization/roles/module'
import { scheduledMessagesModule } from './inbox/scheduled-messages/module'
import { segmentsModule } from './outreach/segments/module'
import { suggestModule } from './inbox/suggest/module'
import { systemModule } from './operation/system/module'
import { tagsModule } from './inbox/tags/module'
import { teamBoardModule } from './insight/team-board/module'
import { teamsModule } from './inbox/teams/module'
import { templatesModule } from './channel/templates/module'
import { transfersModule } from './automation/transfers/module'
import { usersModule } from './organization/users/module'
import { viewsModule } from './inbox/views/module'
import { webhooksModule } from './delivery/webhooks/module'

/**
 * The modules in their order: one may import those above it, never those below. To add a feature is
 * to add one line here, as high as its imports allow.
 */
export const MODULES = [
  auditModule,
  notificationsModule,
  rolesModule,
  membershipsModule,
  organizationsModule,
  usersModule,
  apiKeysModule,
  authModule,
  accountsModule,
  tagsModule,
  teamsModule,
  contactsModule,
  ordersModule,
  conversationsModule,
  suggestModule,
  membersModule,
  mediaModule,
  callsModule,
  pricesModule,
  flowsModule,
  templatesModule,
  cannedResponsesModule,
  segmentsModule,
  messagesModule,
  chatbotSettingsModule,
  aiModule,
  transfersModule,
  scheduledMessagesModule,
  chatbotModule,
  customActionsModule,
  privacyModule,
  contactOperationsModule,
  retentionModule,
  importsModule,
  productImportsModule,
  exportsModule,
  campaignsModule,
  viewsModule,
  analyticsModule,
  teamBoardModule,
  pushModule,
  realtimeModule,
  webhooksModule,
  inboundModule,
  organizationArchiveModule,
  organizationDeletionModule,
  cellsModule,
  organizationImportModule,
  organizationMoveModule,
  systemModule,
]

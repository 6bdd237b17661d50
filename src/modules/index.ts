import { accountsModule } from './accounts/module'
import { aiModule } from './ai/module'
import { analyticsModule } from './analytics/module'
import { apiKeysModule } from './api-keys/module'
import { auditModule } from './audit/module'
import { authModule } from './auth/module'
import { callsModule } from './calls/module'
import { campaignsModule } from './campaigns/module'
import { cannedResponsesModule } from './canned-responses/module'
import { cellsModule } from './cells/module'
import { chatbotModule } from './chatbot/module'
import { chatbotSettingsModule } from './chatbot-settings/module'
import { contactOperationsModule } from './contact-operations/module'
import { contactsModule } from './contacts/module'
import { conversationsModule } from './conversations/module'
import { customActionsModule } from './custom-actions/module'
import { exportsModule } from './exports/module'
import { flowsModule } from './flows/module'
import { importsModule } from './imports/module'
import { inboundModule } from './inbound/module'
import { mediaModule } from './media/module'
import { membersModule } from './members/module'
import { membershipsModule } from './memberships/module'
import { messagesModule } from './messages/module'
import { notificationsModule } from './notifications/module'
import { ordersModule } from './orders/module'
import { organizationArchiveModule } from './organization-archive/module'
import { organizationDeletionModule } from './organization-deletion/module'
import { organizationImportModule } from './organization-import/module'
import { organizationMoveModule } from './organization-move/module'
import { organizationsModule } from './organizations/module'
import { pricesModule } from './prices/module'
import { privacyModule } from './privacy/module'
import { pushModule } from './push/module'
import { realtimeModule } from './realtime/module'
import { retentionModule } from './retention/module'
import { rolesModule } from './roles/module'
import { scheduledMessagesModule } from './scheduled-messages/module'
import { segmentsModule } from './segments/module'
import { systemModule } from './system/module'
import { tagsModule } from './tags/module'
import { teamsModule } from './teams/module'
import { templatesModule } from './templates/module'
import { transfersModule } from './transfers/module'
import { usersModule } from './users/module'
import { viewsModule } from './views/module'
import { webhooksModule } from './webhooks/module'

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
  exportsModule,
  campaignsModule,
  viewsModule,
  analyticsModule,
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

import type { Me, PermissionKey, ThreadItem } from './types.gen'
export { CAMPAIGN_STATES, CONTACT_TEXTS, RECIPIENT_STATES } from './types.gen'

/** A message or call in the thread of a conversation. */
export type Item = ThreadItem
/** The delivery state of a message. */
export type Status = Item['status']

export type {
  Account,
  AccountHealth,
  AccountTest,
  BusinessProfile,
  BusinessProfileChanges,
  CallingChanges,
  CallingSettings,
  EntryPoints,
  NumberRouting,
  ApiKey,
  AuditEntry,
  Board,
  Campaign,
  CampaignHistory,
  CampaignProgress,
  CampaignRecipient,
  CannedResponse,
  ChatbotSettings,
  Contact,
  ContactAttribute,
  ContactDetails,
  Conversation,
  ConversationCounts,
  ConversationPage,
  CustomAction,
  FoundMessage,
  FoundNote,
  InboundEvent,
  InboundEventDetails,
  Me,
  OwnSettingsChanges,
  OutboxItem,
  OutboxStats,
  PermissionKey,
  ScheduledMessage,
  ScheduledReport,
  ScheduledReportInput,
  Role,
  Segment,
  Setup,
  Tag,
  Team,
  Transfer,
  TransferList,
  Template,
  TimelineEntry,
  MessageList,
  Note,
  Notification,
  User,
  View,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryDetails,
  WebhookEndpoint,
  WebhookEndpointWithStats,
  WebhookEventType,
  Widget,
  Work,
} from './types.gen'

/** Whether a user has all of these permissions. */
export const can = (me: Me, ...permissions: PermissionKey[]): boolean =>
  permissions.every((one) => me.permissions.includes(one))

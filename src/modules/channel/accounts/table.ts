import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/**
 * How it stands with data of the WhatsApp Business app: it is to be requested, was requested, has
 * arrived as a whole, was not shared by the person, or was not requested in time.
 */
const PHONE_APP_STATES = ['waiting', 'requested', 'done', 'declined', 'missed'] as const

/** Whether a marketing template may also go the way of all other messages. */
export const MARKETING_POLICIES = ['fallback', 'strict'] as const

/** What the platform said of a number to the server that has it. */
const VOUCHED = { vouched: 'in moves' } as const
/** What this server must have asked the platform itself. */
const HERE_ONLY = { vouched: 'here only' } as const

/** Connected phone numbers. Secrets are stored encrypted (`lib/secret.ts`). */
export const accounts = tableWithoutPeople(
  'accounts',
  'numbers, settings and states of the business itself',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents, for search. */
    nameKey: text('name_key').notNull().default(''),
    /** The platform's phone number ID. Webhooks are routed by it. */
    phoneId: text('phone_id').notNull(),
    /** The platform's ID of the WhatsApp Business account. */
    businessId: text('business_id').notNull(),
    /**
     * Whether the platform confirmed that the number belongs to the business account. `unchecked`
     * before the first check after an upgrade.
     */
    businessLink: text('business_link', { enum: ['unchecked', 'proven', 'unproven'] })
      .notNull()
      .default('unchecked')
      .business(HERE_ONLY),
    appId: text('app_id'),
    /**
     * The platform's ID of the messaging account that pays for the messages of the number. The
     * platform requires it if the number has several.
     */
    messagingAccountId: text('messaging_account_id'),
    portfolioId: text('portfolio_id').business(VOUCHED),
    /** Time zone of the business account, by whose months the platform bills. */
    billingTimezone: text('billing_timezone'),
    phoneNumber: text('phone_number'),
    displayPhoneNumber: text('display_phone_number'),
    verifiedName: text('verified_name').business(VOUCHED),
    apiVersion: text('api_version').notNull(),
    /** The version of which people were notified that it ends, once each. */
    apiVersionWarnedFor: text('api_version_warned_for'),
    status: text('status', { enum: ['pending', 'active', 'disconnected', 'suspended'] }).notNull(),
    statusReason: text('status_reason'),
    qualityRating: text('quality_rating').notNull().default('UNKNOWN').business(VOUCHED),
    messagingLimitTier: text('messaging_limit_tier').business(VOUCHED),
    throughputLevel: text('throughput_level').notNull().default('STANDARD').business(VOUCHED),
    /** Whether the number is registered for sending; `null` if the platform did not say. */
    isRegistered: integer('is_registered', { mode: 'boolean' }).business(VOUCHED),
    /** VERIFIED, NOT_VERIFIED, EXPIRED, … */
    codeVerification: text('code_verification').business(VOUCHED),
    /** How far the platform has verified the business: `verified`, `not_verified`, `pending`, … */
    businessVerification: text('business_verification').business(VOUCHED),
    /** Whether the number is also used in the WhatsApp Business app (coexistence). */
    isOnPhoneApp: integer('is_on_phone_app', { mode: 'boolean' }).notNull().default(false),
    /** Until when data of that app can be requested; `null` if nothing is to be requested. */
    phoneAppUntilMs: integer('phone_app_until_ms'),
    phoneAppContacts: text('phone_app_contacts', { enum: PHONE_APP_STATES }),
    phoneAppHistory: text('phone_app_history', { enum: PHONE_APP_STATES }),
    /** How much of the history has arrived, percent. */
    phoneAppProgress: integer('phone_app_progress'),
    isTestNumber: integer('is_test_number', { mode: 'boolean' }).notNull().default(false),
    /** Whether the app receives the webhooks of the business account. */
    isSubscribed: integer('is_subscribed', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(VOUCHED),
    subscribedAtMs: integer('subscribed_at_ms').business(VOUCHED),
    tokenExpiresAtMs: integer('token_expires_at_ms').business(VOUCHED),
    /** The expiry of which people were notified, once each. */
    tokenExpiryWarnedForMs: integer('token_expiry_warned_for_ms'),
    isDefaultIncoming: integer('is_default_incoming', { mode: 'boolean' }).notNull().default(false),
    isDefaultOutgoing: integer('is_default_outgoing', { mode: 'boolean' }).notNull().default(false),
    autoReadReceipt: integer('auto_read_receipt', { mode: 'boolean' }).notNull().default(false),
    accessTokenSealed: text('access_token_sealed'),
    appSecretSealed: text('app_secret_sealed'),
    verifyTokenSealed: text('verify_token_sealed'),
    /** SHA-256 of the verify token, for the lookup of a verification request. */
    verifyTokenHash: text('verify_token_hash'),
    pinSealed: text('pin_sealed'),
    /** Whether the business accepted the terms of the platform's path for marketing messages. */
    marketingStatus: text('marketing_status', {
      enum: ['unknown', 'eligible', 'onboarded', 'off'],
    })
      .notNull()
      .default('unknown')
      .business(VOUCHED),
    /** What becomes of a marketing template that the path cannot deliver. */
    marketingPolicy: text('marketing_policy', { enum: MARKETING_POLICIES })
      .notNull()
      .default('fallback'),
    /**
     * Since when WhatsApp refuses messages without a template outside of the 24-hour window; `null` if
     * it took the last one.
     */
    directRefusedAtMs: integer('direct_refused_at_ms'),
    /**
     * Whether the business account has a payment method. `unknown` holds nothing back: most apps
     * may not ask the platform.
     */
    fundingState: text('funding_state', { enum: ['unknown', 'attached', 'missing'] })
      .notNull()
      .default('unknown')
      .business(VOUCHED),
    /** What said so last, and when. */
    fundingSource: text('funding_source', {
      enum: ['funding_id', 'health', 'refused', 'billed', 'person'],
    }).business(VOUCHED),
    fundingAtMs: integer('funding_at_ms').business(VOUCHED),
    /** The platform's ID of the payment method when it was last read. */
    fundingId: text('funding_id').business(VOUCHED),
    /** Whether the platform refused to say it for the present token. */
    isFundingHidden: integer('is_funding_hidden', { mode: 'boolean' })
      .notNull()
      .default(false)
      .business(VOUCHED),
    /** Billing month, such as 202610, in which a service message was refused for want of payment. */
    serviceRefusedMonth: integer('service_refused_month'),
    /** The last notice about free service messages: `{month, percent}`, JSON. */
    allowanceWarned: text('allowance_warned'),
    lastInboundAtMs: integer('last_inbound_at_ms'),
    lastCheckedAtMs: integer('last_checked_at_ms').business(HERE_ONLY),
    /** `{code, message}`, JSON. */
    lastError: text('last_error'),
    lastErrorAtMs: integer('last_error_at_ms'),
    pausedUntilMs: integer('paused_until_ms'),
    /**
     * Since when the platform accepts only messages inside open windows (restriction of the
     * business account), and the end of the restriction if it is known.
     */
    restrictedAtMs: integer('restricted_at_ms'),
    restrictedUntilMs: integer('restricted_until_ms'),
    /**
     * Since when a person has paused sending, and the reason. Independent of pauses after errors.
     */
    sendingPausedAtMs: integer('sending_paused_at_ms'),
    sendingPausedReason: text('sending_paused_reason'),
    lastSendOkAtMs: integer('last_send_ok_at_ms'),
    /**
     * The latest webhooks about the number by kind (name decision, review, alerts, username,
     * settings), JSON.
     */
    platformUpdates: text('platform_updates').notNull().default('{}'),
    /** RSA key pair of the Flow data endpoint. */
    flowPrivateKeySealed: text('flow_private_key_sealed'),
    /**
     * The previous private key, which phones may still use, and the next one, which is being
     * uploaded.
     */
    flowFormerKeySealed: text('flow_former_key_sealed'),
    flowNextKeySealed: text('flow_next_key_sealed'),
    flowPublicKey: text('flow_public_key'),
    flowKeyStatus: text('flow_key_status').business(VOUCHED),
    flowKeyCreatedAtMs: integer('flow_key_created_at_ms'),
    /**
     * Times of recent registrations at the platform, which limits them. JSON array of epoch
     * milliseconds.
     */
    registrations: text('registrations').notNull().default('[]'),
    /**
     * Since when the number is known to be shared with another app or the platform's own agent: the
     * first standby or handover webhook.
     */
    sharedAtMs: integer('shared_at_ms'),
    /** When the newest standby webhook was received. */
    lastStandbyAtMs: integer('last_standby_at_ms'),
    /** The roles of this app that the platform last named: `RoutingRoles`, JSON. */
    routing: text('routing'),
    /** When the platform last named no roles, if it has named none since. Then they are unknown. */
    routingUnknownAtMs: integer('routing_unknown_at_ms'),
    /** Result of the last template sync: time, counts and error, JSON. */
    templateSync: text('template_sync'),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    deletedAtMs: integer('deleted_at_ms'),
    /**
     * Since when another server has the number. Its webhooks are unrouted here, and passed on to
     * that server. Secrets stay, because they verify late webhooks.
     */
    movedAtMs: integer('moved_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    // An id names one account of the whole server: the one that signed a webhook, and that whose
    // address the platform calls for a Flow.
    uniqueIndex('accounts_id').on(table.id),
    check(
      'accounts_secrets_wiped',
      sql`${table.deletedAtMs} is null or ${table.accessTokenSealed} is null`,
    ),
    uniqueIndex('accounts_phone')
      .on(table.phoneId)
      .where(sql`${table.deletedAtMs} is null`),
    uniqueIndex('accounts_name')
      .on(table.organizationId, table.name)
      .where(sql`${table.deletedAtMs} is null`),
    uniqueIndex('accounts_default_incoming')
      .on(table.organizationId)
      .where(sql`${table.deletedAtMs} is null and ${table.isDefaultIncoming} = 1`),
    uniqueIndex('accounts_default_outgoing')
      .on(table.organizationId)
      .where(sql`${table.deletedAtMs} is null and ${table.isDefaultOutgoing} = 1`),
    index('accounts_business').on(table.businessId),
    index('accounts_verify_token').on(table.verifyTokenHash),
  ],
)

/** Changes of a number's quality, limit, throughput and status. */
export const accountQuality = tableWithoutPeople(
  'account_quality',
  'states of a number of the business',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    accountId: uuid('account_id').notNull(),
    kind: text('kind', { enum: ['quality', 'limit', 'throughput', 'status'] }).notNull(),
    before: text('before'),
    after: text('after'),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    index('account_quality_recent').on(table.organizationId, table.accountId, table.atMs),
  ],
)

/** Webhook fields of a number that this server does not process, with counts by hour. */
export const accountUnknownFields = tableWithoutPeople(
  'account_unknown_fields',
  'names of fields, with counts',
  {
    organizationId: uuid('organization_id').notNull(),
    accountId: uuid('account_id').notNull(),
    field: text('field').notNull(),
    /** Changes in each of the last 25 hours: `[[start of the hour in milliseconds, count]]`, JSON. */
    hours: text('hours').notNull(),
    lastAtMs: integer('last_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.accountId, table.field] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
  ],
)

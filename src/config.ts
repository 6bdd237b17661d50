import { readFileSync } from 'node:fs'

import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'

import { parseCidrs, type Cidr } from './lib/address'
import { NO_EXCEPTIONS, parseExceptions, type Exceptions } from './lib/egress'
import {
  listOf,
  misspelledSettings,
  problemOf,
  readKey,
  readListener,
  type VariableFacts,
} from './lib/setting'

const secret = (description: string) =>
  Type.Optional(Type.String({ description, minLength: 1, secret: true }))
const text = (description: string, fallback: string) =>
  Type.String({ description, default: fallback, minLength: 1 })
const whole = (
  description: string,
  fallback: number,
  range: { minimum: number; maximum: number },
) => Type.Integer({ description, default: fallback, ...range })
const oneOf = <T extends string[]>(description: string, fallback: T[number], words: [...T]) =>
  Type.Unsafe<T[number]>(Type.String({ description, default: fallback, enum: words }))

/**
 * Where metrics are served unless somebody says otherwise; a port that is taken is no reason not to
 * start then.
 */
export const DEFAULT_METRICS_ADDRESS = '127.0.0.1:9464'

/**
 * Every environment variable of the server with its meaning and default; the table in
 * `src/docs/configure.md` is made from it.
 */
export const Environment = Type.Object({
  HOST: text('Address to listen on.', '0.0.0.0'),
  PORT: whole('Port to listen on.', 8080, { minimum: 0, maximum: 65_535 }),
  BASE_URL: Type.Optional(
    Type.String({
      description:
        "Public URL of this server. Used for links, the webhook callback URL and the server's " +
        'own origin.',
      url: true,
      shown: 'http://localhost:PORT',
    }),
  ),
  DATA_DIR: text(
    'Directory for the database, backups and key files. Created with mode 0700.',
    './data',
  ),
  SECRET_KEY: Type.Optional(
    Type.String({
      description:
        'Root key for signing tokens and encrypting secrets: at least 32 bytes, base64 or hex.',
      key: true,
      secret: true,
      shown: 'generated at the first start in DATA_DIR/secret.key',
    }),
  ),
  SECRET_KEY_PREVIOUS: Type.Optional(
    Type.String({
      description: 'Previous root key during a rotation. `doctor` reports when it can be removed.',
      key: true,
      secret: true,
    }),
  ),
  ACCESS_TOKEN_MINUTES: whole('Lifetime of an access token.', 60, { minimum: 1, maximum: 1_440 }),
  REFRESH_TOKEN_DAYS: whole('Lifetime of a refresh token. Each refresh starts it again.', 7, {
    minimum: 1,
    maximum: 90,
  }),
  SESSION_DAYS: whole('Maximum lifetime of a session, however often it is refreshed.', 30, {
    minimum: 1,
    maximum: 365,
  }),
  PASSWORD_MEMORY_MIB: whole(
    'Memory used for each Argon2id password hash. Use 19 on small machines.',
    64,
    {
      minimum: 8,
      maximum: 1_024,
    },
  ),
  PASSWORD_BLOCKLIST: oneOf('Whether common passwords are rejected.', 'false', ['true', 'false']),
  SMTP_URL: Type.Optional(
    Type.String({
      description:
        'Mail server as smtp:// or smtps:// URL with user and password. Without it, links are shown to the admin instead of being emailed.',
      smtp: true,
      secret: true,
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({
      description: 'Sender address of emails.',
      minLength: 3,
      shown: 'no-reply at the host of BASE_URL',
    }),
  ),
  ADMIN_EMAIL: Type.String({
    description: 'Email of the first super admin. Only used while no user exists.',
    default: 'admin@switchboard.local',
    email: true,
  }),
  ADMIN_PASSWORD: Type.Optional(
    Type.String({
      description: 'Password of the first super admin. Only used while no user exists.',
      secret: true,
      password: true,
      shown: 'random, printed once',
    }),
  ),
  ADMIN_ORGANIZATION: Type.String({
    description: 'Name of the first organization. Only used while no user exists.',
    default: 'My organization',
    displayName: true,
  }),
  WEBHOOK_VERIFY_TOKEN: Type.Optional(
    Type.String({
      description: "Verify token that the platform's webhook verification request must contain.",
      minLength: 8,
      secret: true,
      shown: 'generated at the first start in DATA_DIR/webhook-verify-token',
    }),
  ),
  APP_SECRET: Type.Optional(
    Type.String({
      description:
        'App secret of your platform app. Every webhook must be signed with it or with the app secret of its account.',
      minLength: 8,
      secret: true,
      shown: 'generated at the first start in DATA_DIR/app-secret',
    }),
  ),
  APP_SECRET_PREVIOUS: secret('Previous app secret during a rotation. Still accepted.'),
  PLATFORM_BASE_URL: Type.String({
    description: "Base URL of the platform's Graph API. Tests set it to a simulator.",
    default: 'https://graph.facebook.com',
    url: true,
  }),
  PLATFORM_MEDIA_HOSTS: Type.String({
    description:
      'Comma-separated hosts from which platform media files may be downloaded. The host of the Graph API is always included.',
    default: 'lookaside.fbsbx.com',
    hosts: true,
  }),
  PLATFORM_API_VERSION: Type.String({
    description: 'Graph API version for new accounts.',
    default: 'v24.0',
    pattern: '^v\\d+\\.\\d+$',
  }),
  APP_ID: Type.Optional(
    Type.String({
      description:
        'ID of the platform app that `APP_SECRET` belongs to. Needed for embedded signup, uploads and token inspection.',
      pattern: '^\\d{1,32}$',
    }),
  ),
  SIGNUP_CONFIG_ID: Type.Optional(
    Type.String({
      description: 'ID of the embedded signup configuration. Requires `APP_ID` and `APP_SECRET`.',
      pattern: '^\\d{1,32}$',
    }),
  ),
  SEND_UNKNOWN_MINUTES: whole(
    'Minutes to wait for a confirmation before a message is marked `unknown`.',
    10,
    {
      minimum: 1,
      maximum: 60,
    },
  ),
  SEND_EXPIRY_HOURS: whole('Hours after which an unsent message fails with `expired`.', 24, {
    minimum: 1,
    maximum: 72,
  }),
  RATE_STANDARD: whole(
    'Requests per minute for each caller. 0 = no limit. WebSocket connections are limited to three for every ten requests, media downloads to twenty for each request.',
    100,
    { minimum: 0, maximum: 1_000_000 },
  ),
  RATE_BULK: whole('Bulk operations per minute for each caller. 0 = no limit.', 10, {
    minimum: 0,
    maximum: 1_000_000,
  }),
  TRUSTED_PROXIES: Type.String({
    description:
      'Comma-separated addresses or CIDR ranges of proxies whose `X-Forwarded-For` header is trusted.',
    default: '',
    cidrs: true,
  }),
  CORS_ORIGINS: Type.String({
    description: 'Comma-separated origins of browser clients, matched exactly.',
    default: '',
    origins: true,
  }),
  BODY_LIMIT_KIB: whole('Maximum size of a request body.', 1_024, {
    minimum: 16,
    maximum: 102_400,
  }),
  WEBHOOK_BODY_LIMIT_KIB: whole('Maximum size of a webhook body from the platform.', 3_584, {
    minimum: 3_072,
    maximum: 102_400,
  }),
  UPLOAD_LIMIT_MIB: whole('Maximum size of an uploaded file.', 100, { minimum: 1, maximum: 100 }),
  EGRESS_ALLOW: Type.String({
    description:
      'Comma-separated addresses, CIDR ranges or `host:port` that user-supplied URLs may reach although they are not public.',
    default: '',
    exceptions: true,
  }),
  WORKERS: whole(
    'Width of the job queues: so many jobs of one organization run at once in the default queue, and sixteen times as many of its sends, 64 at most.',
    4,
    {
      minimum: 1,
      maximum: 64,
    },
  ),
  DB_CACHE_MIB: whole(
    'SQLite page cache. Up to 256 MiB of the database file are memory-mapped in addition.',
    24,
    { minimum: 2, maximum: 65_536 },
  ),
  DB_SYNCHRONOUS: oneOf(
    'How SQLite flushes commits. `full` survives a power loss; `normal` survives only a process crash.',
    'full',
    ['full', 'normal'],
  ),
  REALTIME_LOG_HOURS: whole('How long events are stored for WebSocket clients that resume.', 24, {
    minimum: 24,
    maximum: 168,
  }),
  WS_PER_USER: whole('WebSocket connections per user and organization.', 10, {
    minimum: 1,
    maximum: 1_000,
  }),
  WS_PER_ORG: whole('WebSocket connections per organization.', 2_000, {
    minimum: 1,
    maximum: 100_000,
  }),
  WS_MAX: whole('WebSocket connections of the whole server.', 20_000, {
    minimum: 1,
    maximum: 1_000_000,
  }),
  ORG_CREATION: oneOf(
    'Who may create organizations: every signed-in user, users with `organizations:create`, or super admins.',
    'anyone',
    ['anyone', 'permission', 'super_admin'],
  ),
  OPEN_REGISTRATION: oneOf(
    'If `false`, organizations with open registration also require an invitation.',
    'true',
    ['true', 'false'],
  ),
  ORPHAN_ACCOUNT_DAYS: whole(
    'Days after which accounts without an organization are erased. 0 = never.',
    90,
    {
      minimum: 0,
      maximum: 36_500,
    },
  ),
  JOURNAL_DAYS: whole(
    'How long received webhook deliveries are stored. Stored deliveries can be reprocessed.',
    14,
    {
      minimum: 7,
      maximum: 90,
    },
  ),
  AUDIT_RETENTION_DAYS: whole('How long audit log entries are kept.', 730, {
    minimum: 1,
    maximum: 36_500,
  }),
  BACKUP_INTERVAL_HOURS: whole('Hours between automatic backups. 0 = off.', 24, {
    minimum: 0,
    maximum: 8_760,
  }),
  BACKUP_KEEP: whole('Number of automatic backups to keep.', 7, {
    minimum: 1,
    maximum: 1_000,
  }),
  BACKUP_DIR: Type.Optional(
    Type.String({
      description: 'Directory for backups.',
      minLength: 1,
      shown: '`DATA_DIR/backups`',
    }),
  ),
  METRICS_TOKEN: Type.Optional(
    Type.String({
      description: 'Bearer token for `GET /metrics`.',
      minLength: 16,
      secret: true,
    }),
  ),
  METRICS_ADDRESS: Type.String({
    description:
      'Separate address for metrics, as host:port. Without `METRICS_TOKEN`, metrics are served only there. Set to an empty value for none.',
    default: DEFAULT_METRICS_ADDRESS,
    listener: true,
    mayBeEmpty: true,
  }),
  METRICS_PER_ORG: oneOf(
    'Whether metrics of pending work have a label with the organization.',
    'false',
    ['true', 'false'],
  ),
  LOG_LEVEL: oneOf('Minimum log level.', 'info', ['debug', 'info', 'warn', 'error']),
  LOG_FORMAT: oneOf('Log format: `json` for machines, `pretty` for people.', 'json', [
    'json',
    'pretty',
  ]),
  SHUTDOWN_SECONDS: whole(
    'How long a graceful shutdown waits for requests and jobs in progress.',
    8,
    {
      minimum: 1,
      maximum: 300,
    },
  ),
})

type Values = Static<typeof Environment>

/** The server's settings, read once at start. Units end the names. */
export interface Config {
  host: string
  port: number
  baseUrl: string
  dataDir: string
  /** Whether somebody named the data folder. */
  isDataDirNamed: boolean
  /** Secrets that only the environment of the service holds, by the names of their variables. */
  unknownSecrets: string[]
  secretKey: Buffer | null
  secretKeyPrevious: Buffer | null
  accessTokenS: number
  refreshTokenDays: number
  sessionDays: number
  passwordMemoryMib: number
  hasPasswordBlocklist: boolean
  smtpUrl: string | null
  mailFrom: string
  admin: { email: string; password: string | null; organization: string }
  webhookVerifyToken: string | null
  appSecret: string | null
  appSecretPrevious: string | null
  platformBaseUrl: string
  platformMediaHosts: string[]
  platformApiVersion: string
  appId: string | null
  signupConfigId: string | null
  sendUnknownMinutes: number
  sendExpiryHours: number
  rateStandard: number
  rateBulk: number
  trustedProxies: Cidr[]
  corsOrigins: string[]
  bodyLimitBytes: number
  webhookBodyLimitBytes: number
  uploadLimitBytes: number
  egressAllow: Exceptions
  workers: number
  dbCacheMib: number
  dbSynchronous: 'full' | 'normal'
  realtimeLogHours: number
  sockets: { perUser: number; perOrganization: number; perProcess: number }
  orgCreation: Values['ORG_CREATION']
  auditRetentionDays: number
  journalDays: number
  backups: { intervalHours: number; keep: number; dir: string | null }
  metricsToken: string | null
  /** `null` when metrics have no address of their own. */
  metricsAddress: { host: string; port: number } | null
  hasMetricsPerOrganization: boolean
  /** Sentences about variables that look like misspelt settings. */
  warnings: string[]
  /** Every variable as it counts: its value or default, of secrets only whether they are set. */
  shown: Record<string, string | number | null>
  hasOpenRegistration: boolean
  orphanAccountDays: number
  logLevel: Values['LOG_LEVEL']
  logFormat: Values['LOG_FORMAT']
  shutdownS: number
}

/** The settings are bad: `problems` says all that is wrong, without any value. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/** Each variable's name and facts, in the order of the table. */
export const variables = (
  schema: TObject<TProperties> = Environment,
): [name: string, facts: VariableFacts][] =>
  Object.entries(schema.properties).map(([name, facts]) => [name, facts as VariableFacts])

const SETTINGS = variables()

/**
 * The written value of a variable or of its `X_FILE` twin; `undefined` when neither is set. Throws
 * with a sentence.
 */
function written(
  env: Record<string, string | undefined>,
  name: string,
  mayBeEmpty = false,
): string | undefined {
  const file = env[`${name}_FILE`]
  const direct = env[name]
  if (file === undefined || file === '') return direct === '' && !mayBeEmpty ? undefined : direct
  if (direct !== undefined && direct !== '')
    throw new Error(`${name} and ${name}_FILE are both set; remove one`)
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    // the reason would repeat the path
    throw new Error(`${name}_FILE names a file that does not exist or cannot be read`)
  }
}

/**
 * Reads the settings from environment variables (each also as `X_FILE`, a path to a file with the
 * value). Throws ConfigError with every problem at once; no value is ever repeated in it.
 */
export function readConfig(
  env: Record<string, string | undefined>,
  unknownSecrets: string[] = [],
): Config {
  const problems: string[] = []
  const values: Record<string, string | number | undefined> = {}
  for (const [name, facts] of SETTINGS) {
    try {
      const raw = written(env, name, facts.mayBeEmpty)
      const value =
        raw === undefined
          ? facts.default
          : facts.type === 'integer'
            ? /^-?\d+$/.test(raw.trim())
              ? Number(raw)
              : NaN
            : raw
      const problem = value === undefined ? null : problemOf(facts, value)
      if (problem) problems.push(`${name} ${problem}`)
      values[name] = value
    } catch (error) {
      problems.push(error instanceof Error ? error.message : `${name} cannot be read`)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  const warnings = misspelledSettings(
    Object.keys(env),
    SETTINGS.map(([name]) => name),
  )
  const isDataDirNamed = (env['DATA_DIR'] ?? env['DATA_DIR_FILE'] ?? '') !== ''
  const rest = { isDataDirNamed, unknownSecrets, warnings, shown: shownSettings(values) }
  // checked against the same schema just above
  return { ...configOf(values as unknown as Values), ...rest }
}

const shownSettings = (values: Record<string, string | number | undefined>): Config['shown'] =>
  Object.fromEntries(
    SETTINGS.map(([name, facts]) => [
      name,
      facts.secret ? (values[name] === undefined ? 'unset' : 'set') : (values[name] ?? null),
    ]),
  )

function configOf(
  values: Values,
): Omit<Config, 'shown' | 'warnings' | 'isDataDirNamed' | 'unknownSecrets'> {
  const baseUrl = (values.BASE_URL ?? `http://localhost:${values.PORT}`).replace(/\/+$/, '')
  return {
    host: values.HOST,
    port: values.PORT,
    baseUrl,
    dataDir: values.DATA_DIR,
    secretKey: values.SECRET_KEY === undefined ? null : readKey(values.SECRET_KEY),
    secretKeyPrevious:
      values.SECRET_KEY_PREVIOUS === undefined ? null : readKey(values.SECRET_KEY_PREVIOUS),
    accessTokenS: values.ACCESS_TOKEN_MINUTES * 60,
    refreshTokenDays: values.REFRESH_TOKEN_DAYS,
    sessionDays: values.SESSION_DAYS,
    passwordMemoryMib: values.PASSWORD_MEMORY_MIB,
    hasPasswordBlocklist: values.PASSWORD_BLOCKLIST === 'true',
    smtpUrl: values.SMTP_URL ?? null,
    mailFrom: values.MAIL_FROM ?? `Switchboard <no-reply@${new URL(baseUrl).hostname}>`,
    admin: {
      email: values.ADMIN_EMAIL,
      password: values.ADMIN_PASSWORD ?? null,
      organization: values.ADMIN_ORGANIZATION.trim(),
    },
    webhookVerifyToken: values.WEBHOOK_VERIFY_TOKEN ?? null,
    appSecret: values.APP_SECRET ?? null,
    appSecretPrevious: values.APP_SECRET_PREVIOUS ?? null,
    platformBaseUrl: values.PLATFORM_BASE_URL.replace(/\/+$/, ''),
    platformMediaHosts: listOf(values.PLATFORM_MEDIA_HOSTS.toLowerCase()),
    platformApiVersion: values.PLATFORM_API_VERSION,
    appId: values.APP_ID ?? null,
    signupConfigId: values.SIGNUP_CONFIG_ID ?? null,
    sendUnknownMinutes: values.SEND_UNKNOWN_MINUTES,
    sendExpiryHours: values.SEND_EXPIRY_HOURS,
    rateStandard: values.RATE_STANDARD,
    rateBulk: values.RATE_BULK,
    trustedProxies: parseCidrs(values.TRUSTED_PROXIES) ?? [],
    corsOrigins: listOf(values.CORS_ORIGINS),
    bodyLimitBytes: values.BODY_LIMIT_KIB * 1024,
    uploadLimitBytes: values.UPLOAD_LIMIT_MIB * 1024 * 1024,
    egressAllow: parseExceptions(values.EGRESS_ALLOW) ?? NO_EXCEPTIONS,
    webhookBodyLimitBytes: values.WEBHOOK_BODY_LIMIT_KIB * 1024,
    workers: values.WORKERS,
    dbCacheMib: values.DB_CACHE_MIB,
    dbSynchronous: values.DB_SYNCHRONOUS,
    realtimeLogHours: values.REALTIME_LOG_HOURS,
    sockets: {
      perUser: values.WS_PER_USER,
      perOrganization: values.WS_PER_ORG,
      perProcess: values.WS_MAX,
    },
    orgCreation: values.ORG_CREATION,
    auditRetentionDays: values.AUDIT_RETENTION_DAYS,
    journalDays: values.JOURNAL_DAYS,
    backups: {
      intervalHours: values.BACKUP_INTERVAL_HOURS,
      keep: values.BACKUP_KEEP,
      dir: values.BACKUP_DIR ?? null,
    },
    metricsToken: values.METRICS_TOKEN ?? null,
    metricsAddress: readListener(values.METRICS_ADDRESS),
    hasMetricsPerOrganization: values.METRICS_PER_ORG === 'true',
    hasOpenRegistration: values.OPEN_REGISTRATION === 'true',
    orphanAccountDays: values.ORPHAN_ACCOUNT_DAYS,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
    shutdownS: values.SHUTDOWN_SECONDS,
  }
}

/** Returns the table of settings for `src/docs/configure.md`, in Markdown. */
export function configTable(): string {
  const rows = SETTINGS.map(([name, facts]) => {
    const shown =
      facts.shown ??
      (facts.default === undefined
        ? 'unset'
        : facts.default === ''
          ? 'empty'
          : `\`${facts.default}\``)
    const words = facts.enum ? ` One of ${facts.enum.map((word) => `\`${word}\``).join(', ')}.` : ''
    const range = facts.type === 'integer' ? ` From ${facts.minimum} to ${facts.maximum}.` : ''
    return `| \`${name}\` | ${shown} | ${facts.description ?? ''}${words}${range}${facts.secret ? ' Secret.' : ''} |`
  })
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}

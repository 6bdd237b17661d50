import { Type, type Static, type TObject, type TProperties } from '@sinclair/typebox'
import { MAX_PASSWORD_MEMORY_MIB, type VariableFacts } from './lib/setting'
import { DEFAULT_GRAPH_VERSION } from './lib/graph-versions'

const secret = (description: string) =>
  Type.Optional(Type.String({ description, minLength: 1, secret: true }))
const text = (description: string, fallback: string) =>
  Type.String({ description, default: fallback, minLength: 1 })
const url = (description: string, fallback: string) =>
  Type.String({ description, default: fallback, url: true })
const whole = (
  description: string,
  fallback: number,
  range: { minimum: number; maximum: number },
) => Type.Integer({ description, default: fallback, ...range })
const oneOf = <T extends string[]>(description: string, fallback: T[number], words: [...T]) =>
  Type.Unsafe<T[number]>(Type.String({ description, default: fallback, enum: words }))

/** Variables that commands read in addition to the settings. */
export const COMMAND_VARIABLES = [
  'ARCHIVE_PASSPHRASE',
  'CHATWOOT_TOKEN',
  'SWITCHBOARD_TOKEN',
  'SWITCHBOARD_API_KEY',
] as const

/** The platform's own host for the Graph API, and its host for archiving templates. */
export const GRAPH_URL = 'https://graph.facebook.com'
export const ARCHIVE_URL = 'https://api.facebook.com'

/** Default listener of the metrics. The server starts without it if the port is in use. */
export const DEFAULT_METRICS_ADDRESS = '127.0.0.1:9464'

/**
 * All environment variables of the server with description and default. Source of the table in
 * `src/docs/configure.md`.
 */
export const Environment = Type.Object({
  HOST: text(
    'Address to listen on. The default is for this machine only; `0.0.0.0` is for all that reach it.',
    '127.0.0.1',
  ),
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
  CELLS: Type.String({
    description:
      'Comma-separated addresses of all servers that share the work, each with organizations of its own, this one included. See `second-server.md`.',
    default: '',
    origins: true,
  }),
  CELL: Type.Optional(
    Type.String({
      description:
        'Address of this server in `CELLS`, at which the platform and the other servers reach it.',
      origins: true,
      shown: '`BASE_URL`',
    }),
  ),
  CELL_SECRET: Type.Optional(
    Type.String({
      description: 'Secret with which the servers in `CELLS` sign requests to each other.',
      minLength: 32,
      secret: true,
    }),
  ),
  MOVE_FROZEN_MINUTES: whole(
    'How long an organization that moves to another server may be frozen. A move that takes longer is aborted.',
    60,
    { minimum: 1, maximum: 1_440 },
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
    { minimum: 8, maximum: MAX_PASSWORD_MEMORY_MIB },
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
    description:
      'Name of the first organization, and of an empty one when all others have left the server.',
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
  PLATFORM_BASE_URL: url(
    "Base URL of the platform's Graph API. Tests set it to a simulator.",
    GRAPH_URL,
  ),
  PLATFORM_ARCHIVE_URL: Type.Optional(
    Type.String({
      description: 'Base URL for archiving templates, another one than that of the Graph API.',
      url: true,
      shown: `\`${ARCHIVE_URL}\`, or \`PLATFORM_BASE_URL\` if that is set`,
    }),
  ),
  PLATFORM_DIALOG_URL: url(
    'Base URL of the website that shows the signup dialog. Tests set it to a simulator.',
    'https://www.facebook.com',
  ),
  PLATFORM_MEDIA_HOSTS: Type.String({
    description:
      'Comma-separated hosts from which platform media files may be downloaded. The host of the Graph API is always included.',
    default: 'lookaside.fbsbx.com',
    hosts: true,
  }),
  PLATFORM_API_VERSION: Type.String({
    description:
      'Graph API version for new accounts. `doctor` and notifications report six months before a version ends.',
    default: DEFAULT_GRAPH_VERSION,
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
    'Requests per minute for each caller. 0 = no limit. WebSocket connections are limited to three for every ten requests, media downloads to twenty for each request, and suggestions while somebody types (`GET /api/suggest`) are counted by themselves. All users and API keys of an organization together have 20 times each of these limits, and a tenth more for each active member of at least a day; its API keys together five times.',
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
  BODY_LIMIT_KIB: whole(
    'Maximum size of a request body: at most 16 KiB without a credential and 64 KiB of a contact, ' +
      'more for whole documents.',
    1_024,
    { minimum: 16, maximum: 102_400 },
  ),
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
  EGRESS_PROXY: Type.Optional(
    Type.String({
      description:
        'HTTP proxy for requests to user-supplied URLs, such as `http://user:password@proxy.internal:3128`. It must allow `CONNECT` to addresses. Other proxy variables are ignored.',
      proxy: true,
      secret: true,
    }),
  ),
  ALLOW_HTTP_WEBHOOKS: oneOf(
    'Whether URLs that the server sends data to, such as webhook endpoints, may begin with `http://`.',
    'false',
    ['true', 'false'],
  ),
  AI_OPENAI_URL: url(
    'API root of OpenAI. Organizations can set another compatible server in their settings.',
    'https://api.openai.com/v1',
  ),
  AI_ANTHROPIC_URL: url('API root of Anthropic.', 'https://api.anthropic.com/v1'),
  AI_GOOGLE_URL: url(
    'API root of the Google Gemini API.',
    'https://generativelanguage.googleapis.com/v1beta',
  ),
  WORKERS: whole(
    'Number of background jobs of one organization that run at the same time. For sending messages, the number is 16 times as high, up to 64.',
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
  WEB_PUSH: oneOf(
    'If `false`, browsers cannot subscribe to push notifications. They need `BASE_URL` to be https.',
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
  REPLICA_PATH: Type.Optional(
    Type.String({
      description:
        'Database file of a follower, such as that of `litestream restore -f`. Its age is measured, and reported when the follower stands still.',
      minLength: 1,
    }),
  ),
  METRICS_TOKEN: Type.Optional(
    Type.String({
      description: 'Bearer token for `GET /metrics`.',
      minLength: 16,
      pattern: '^\\S+$',
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
  LOG_FORMAT: Type.Optional(
    Type.Unsafe<'json' | 'pretty'>(
      Type.String({
        description: 'Log format: `json` for machines, `pretty` for people.',
        enum: ['json', 'pretty'],
        shown: '`pretty` in a terminal, otherwise `json`',
      }),
    ),
  ),
  SHUTDOWN_SECONDS: whole(
    'How long a graceful shutdown waits for requests and jobs in progress.',
    8,
    {
      minimum: 1,
      maximum: 300,
    },
  ),
})

/** Values of the variables by name. */
export type EnvironmentValues = Static<typeof Environment>

/** Returns name and schema of each variable, in the order of the table. */
export const variables = (
  schema: TObject<TProperties> = Environment,
): [name: string, facts: VariableFacts][] =>
  Object.entries(schema.properties).map(([name, facts]) => [name, facts as VariableFacts])

/** Name and schema of every setting. */
export const SETTINGS = variables()

import { readFileSync } from 'node:fs'
import { parseCidrs, type Cidr } from './lib/address'
import { NO_EXCEPTIONS, parseExceptions, type EgressExceptions } from './lib/egress'
import {
  listOf,
  misspelledSettings,
  problemOf,
  readKey,
  readListener,
  type SettingSource,
} from './lib/setting'
import { readCells, type Cells } from './lib/cells'
import {
  ARCHIVE_URL,
  COMMAND_VARIABLES,
  GRAPH_URL,
  type EnvironmentValues,
  SETTINGS,
} from './environment'

/** The server's settings, read once at start. Units end the names. */
export interface Config {
  host: string
  port: number
  baseUrl: string
  /** This server and the others that share the work; `null` without others. */
  cells: Cells | null
  dataDir: string
  /** Whether the data folder was set explicitly. */
  isDataDirNamed: boolean
  /** Names of secrets that only the environment of the service contains. */
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
  /** Base URL at which the platform archives templates. */
  platformArchiveUrl: string
  platformDialogUrl: string
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
  /** What URLs of customers may reach, and how. */
  egress: { exceptions: EgressExceptions; proxy: URL | null; allowsPlain: boolean }
  aiUrls: { openai: string; anthropic: string; google: string }
  workers: number
  dbCacheMib: number
  dbSynchronous: 'full' | 'normal'
  moveFrozenMinutes: number
  realtimeLogHours: number
  sockets: { perUser: number; perOrganization: number; perProcess: number }
  orgCreation: EnvironmentValues['ORG_CREATION']
  auditRetentionDays: number
  journalDays: number
  backups: { intervalHours: number; keep: number; dir: string | null }
  /** Database file of a follower whose age is measured. */
  replicaPath: string | null
  metricsToken: string | null
  /** `null` if metrics have no address of their own. */
  metricsAddress: { host: string; port: number } | null
  hasMetricsPerOrganization: boolean
  /** One sentence for each variable that looks like a misspelled setting. */
  warnings: string[]
  /** Effective value of each variable. For secrets only whether they are set. */
  shown: Record<string, string | number | null>
  /** Names of the variables that hold secrets. */
  secretNames: string[]
  /** Where each value comes from. */
  sources: Record<string, SettingSource>
  hasOpenRegistration: boolean
  hasWebPush: boolean
  orphanAccountDays: number
  logLevel: EnvironmentValues['LOG_LEVEL']
  /** `null`: for people if a terminal shows it. */
  logFormat: NonNullable<EnvironmentValues['LOG_FORMAT']> | null
  shutdownS: number
}

/** The settings are invalid. `problems` lists all problems without any value. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`Invalid configuration:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
    this.name = 'ConfigError'
  }
}

/**
 * Returns the value of a variable or the content of its `X_FILE`, or `undefined` if neither is set.
 * Throws an error with a message for the operator.
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
    // the system's error would contain the path
    throw new Error(`${name}_FILE names a file that does not exist or cannot be read`)
  }
}

/**
 * Returns the value of a variable of a command, or the content of its `X_FILE`; `null` if neither is
 * set. Throws ConfigError.
 */
export function readCommandVariable(
  env: Record<string, string | undefined>,
  name: (typeof COMMAND_VARIABLES)[number],
): string | null {
  try {
    return written(env, name) ?? null
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : `${name} cannot be read`])
  }
}

/**
 * Reads the settings from environment variables (each also as `X_FILE`, the path of a file with the
 * value). Throws ConfigError with all problems; it never contains a value. `ofEnvFile` names the
 * variables that a file of variables brought.
 */
export function readConfig(
  env: Record<string, string | undefined>,
  unknownSecrets: string[] = [],
  ofEnvFile: ReadonlySet<string> = new Set(),
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
  const warnings = misspelledSettings(env, [
    ...SETTINGS.map(([name]) => name),
    ...COMMAND_VARIABLES,
  ])
  if (problems.length > 0) throw new ConfigError([...problems, ...warnings])
  // The cast holds: without problems, each value has passed the check that `EnvironmentValues` is derived from.
  const known = values as unknown as EnvironmentValues
  const cells = cellsOf(known, unknownSecrets)
  if ('problem' in cells) throw new ConfigError([cells.problem, ...warnings])
  const isDataDirNamed = (env['DATA_DIR'] ?? env['DATA_DIR_FILE'] ?? '') !== ''
  const rest = {
    cells: cells.cells,
    isDataDirNamed,
    unknownSecrets,
    warnings,
    shown: shownSettings(values),
    sources: sourcesOf(env, ofEnvFile),
    secretNames: SETTINGS.filter(([, { secret }]) => secret === true).map(([name]) => name),
  }
  return { ...configOf(known), ...rest }
}

const shownSettings = (values: Record<string, string | number | undefined>): Config['shown'] =>
  Object.fromEntries(
    SETTINGS.map(([name, facts]) => [
      name,
      facts.secret ? (values[name] === undefined ? 'unset' : 'set') : (values[name] ?? null),
    ]),
  )

/** Returns where the value of each setting comes from. */
function sourcesOf(
  env: Record<string, string | undefined>,
  ofEnvFile: ReadonlySet<string>,
): Config['sources'] {
  const isSet = (name: string): boolean => (env[name] ?? '') !== ''
  const sourceOf = (name: string): SettingSource => {
    if (isSet(`${name}_FILE`)) return 'file'
    if (!isSet(name)) return 'default'
    return ofEnvFile.has(name) ? 'env_file' : 'environment'
  }
  return Object.fromEntries(SETTINGS.map(([name]) => [name, sourceOf(name)]))
}

const baseUrlOf = ({ BASE_URL, PORT }: EnvironmentValues): string =>
  (BASE_URL ?? `http://localhost:${PORT}`).replace(/\/+$/, '')

/** Where templates are archived. Whoever names another platform means that one. */
const archiveUrlOf = (values: EnvironmentValues): string =>
  values.PLATFORM_ARCHIVE_URL ??
  (values.PLATFORM_BASE_URL === GRAPH_URL ? ARCHIVE_URL : values.PLATFORM_BASE_URL)

const cellsOf = (
  values: EnvironmentValues,
  unknownSecrets: string[],
): ReturnType<typeof readCells> =>
  readCells({
    isSecretElsewhere: unknownSecrets.includes('CELL_SECRET'),
    list: listOf(values.CELLS),
    own: values.CELL ?? baseUrlOf(values),
    secret: values.CELL_SECRET ?? null,
  })

const aiUrlsOf = (values: EnvironmentValues): Config['aiUrls'] => ({
  openai: values.AI_OPENAI_URL.replace(/\/+$/, ''),
  anthropic: values.AI_ANTHROPIC_URL.replace(/\/+$/, ''),
  google: values.AI_GOOGLE_URL.replace(/\/+$/, ''),
})

/** What follows from the values alone. */
type ValuesOnly = Omit<
  Config,
  'cells' | 'shown' | 'sources' | 'secretNames' | 'warnings' | 'isDataDirNamed' | 'unknownSecrets'
>

function configOf(values: EnvironmentValues): ValuesOnly {
  const baseUrl = baseUrlOf(values)
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
    platformArchiveUrl: archiveUrlOf(values).replace(/\/+$/, ''),
    platformDialogUrl: values.PLATFORM_DIALOG_URL.replace(/\/+$/, ''),
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
    egress: {
      exceptions: parseExceptions(values.EGRESS_ALLOW) ?? NO_EXCEPTIONS,
      proxy: values.EGRESS_PROXY === undefined ? null : new URL(values.EGRESS_PROXY),
      allowsPlain: values.ALLOW_HTTP_WEBHOOKS === 'true',
    },
    aiUrls: aiUrlsOf(values),
    webhookBodyLimitBytes: values.WEBHOOK_BODY_LIMIT_KIB * 1024,
    workers: values.WORKERS,
    dbCacheMib: values.DB_CACHE_MIB,
    dbSynchronous: values.DB_SYNCHRONOUS,
    moveFrozenMinutes: values.MOVE_FROZEN_MINUTES,
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
    replicaPath: values.REPLICA_PATH ?? null,
    metricsToken: values.METRICS_TOKEN ?? null,
    metricsAddress: readListener(values.METRICS_ADDRESS),
    hasMetricsPerOrganization: values.METRICS_PER_ORG === 'true',
    hasOpenRegistration: values.OPEN_REGISTRATION === 'true',
    hasWebPush: values.WEB_PUSH === 'true' && (values.BASE_URL ?? '').startsWith('https:'),
    orphanAccountDays: values.ORPHAN_ACCOUNT_DAYS,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT ?? null,
    shutdownS: values.SHUTDOWN_SECONDS,
  }
}

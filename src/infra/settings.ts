import type { Cells } from '../lib/cells'
import type { SettingSource } from '../lib/setting'

/** The settings that features read while running; `environment.ts` fills them. Units end the names. */
export interface Settings {
  baseUrl: string
  /** This server and the others that share the work; `null` without others. */
  cells: Cells | null
  /** Website that shows the platform's signup dialog. */
  platformDialogUrl: string
  platformApiVersion: string
  /** The installation's app at the platform; `null` if not configured. */
  appId: string | null
  /** Its configuration of embedded signup. */
  signupConfigId: string | null
  accessTokenS: number
  refreshTokenDays: number
  sessionDays: number
  passwordMemoryMib: number
  /** Whether common passwords are refused. */
  hasPasswordBlocklist: boolean
  /**
   * URL of the mail server, with credentials. `null` without one; people pass links on themselves
   * then.
   */
  smtpUrl: string | null
  /** Sender of mail. */
  mailFrom: string
  /** Whether organizations may be open to registration without an invitation. */
  hasOpenRegistration: boolean
  /** Whether browsers are sent push notifications: not turned off, and reached over https. */
  hasWebPush: boolean
  /** Days after which a user without an organization is erased; 0 never. */
  orphanAccountDays: number
  sendUnknownMinutes: number
  sendExpiryHours: number
  moveFrozenMinutes: number
  realtimeLogHours: number
  rateStandard: number
  rateBulk: number
  corsOrigins: string[]
  bodyLimitBytes: number
  webhookBodyLimitBytes: number
  /** Largest accepted file, bytes. */
  uploadLimitBytes: number
  /** API roots of the AI providers. */
  aiUrls: { openai: string; anthropic: string; google: string }
  workers: number
  sockets: { perUser: number; perOrganization: number; perProcess: number }
  /** `organization`: the name of an organization that the server creates by itself. */
  admin: { organization: string }
  orgCreation: 'anyone' | 'permission' | 'super_admin'
  auditRetentionDays: number
  /** How long raw deliveries are kept. */
  journalDays: number
  /** Token for reading metrics; `null` if they are only served on their own address. */
  metricsToken: string | null
  /** Whether metrics of waiting work name the organization. */
  hasMetricsPerOrganization: boolean
  /** Every setting as it counts, of secrets only whether they are set. */
  shown: Record<string, string | number | null>
  /** Names of those that are secret. */
  secretNames: string[]
  /** Where each comes from. */
  sources: Record<string, SettingSource>
  /** One sentence for each variable that looks like a misspelled setting. */
  warnings: string[]
  platformBaseUrl: string
  platformArchiveUrl: string
  /** Database file of a follower; `null` without one. */
  replicaPath: string | null
  /** Interval of automatic backups (0 never), and how many of them are kept. */
  backups: { intervalHours: number; keep: number }
  /** Token the platform's verification request must carry. */
  webhookVerifyToken: string
  /**
   * App secrets that sign for every account: the current one and, during a rotation, the former
   * one.
   */
  appSecrets: string[]
}

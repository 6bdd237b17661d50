/** The settings that features read while running; `environment.ts` fills them. Units end the names. */
export interface Settings {
  baseUrl: string
  platformApiVersion: string
  /** The installation's app at the platform; `null` when nobody named it. */
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
  /** After so long an account without organization is erased; 0 never. */
  orphanAccountDays: number
  sendUnknownMinutes: number
  sendExpiryHours: number
  realtimeLogHours: number
  rateStandard: number
  rateBulk: number
  corsOrigins: string[]
  bodyLimitBytes: number
  webhookBodyLimitBytes: number
  /** Largest file that is taken, bytes. */
  uploadLimitBytes: number
  workers: number
  sockets: { perUser: number; perOrganization: number; perProcess: number }
  orgCreation: 'anyone' | 'permission' | 'super_admin'
  auditRetentionDays: number
  /** How long raw deliveries are kept. */
  journalDays: number
  /**
   * Token that lets its holder read metrics; `null` when they are read on an address of their own
   * only.
   */
  metricsToken: string | null
  /** Whether metrics of waiting work name the organization. */
  hasMetricsPerOrganization: boolean
  /** Every setting as it counts, of secrets only whether they are set. */
  shown: Record<string, string | number | null>
  /** How often backups are made by themselves (0 never), how many of those are kept. */
  backups: { intervalHours: number; keep: number }
  /** Token the platform's verification request must carry. */
  webhookVerifyToken: string
  /**
   * App secrets that sign for every account: the present one and, while rotating, the former one.
   */
  appSecrets: string[]
}

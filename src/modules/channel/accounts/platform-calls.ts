import type { Ctx } from '../../../infra/ctx'
import type { AppCredentials } from '../../../platform/client/administration'
import { openSecret } from './secrets'
import type { AccountRow } from './view'

/** Returns the URL to which the platform delivers webhooks: that of this cell, if there are several. */
export const callbackUrl = ({ settings }: Pick<Ctx, 'settings'>): string =>
  `${settings.cells?.own ?? settings.baseUrl}/api/webhook`

/**
 * Returns the parameters of a call about a number, with its token in plain text. Never store them.
 */
export const numberCallOf = (ctx: Pick<Ctx, 'vault'>, row: AccountRow) => ({
  phoneId: row.phoneId,
  apiVersion: row.apiVersion,
  accessToken: openSecret(ctx, row, 'accessTokenSealed') ?? '',
})

/**
 * Returns the parameters of a call about a number's business account, with its token in plain text.
 * Never store them.
 */
export const businessCallOf = (ctx: Pick<Ctx, 'vault'>, row: AccountRow) => ({
  businessId: row.businessId,
  apiVersion: row.apiVersion,
  accessToken: openSecret(ctx, row, 'accessTokenSealed') ?? '',
})

/** Returns the credentials of the installation's app, or `null` if none is configured. */
export function installedApp(ctx: Pick<Ctx, 'settings'>): AppCredentials | null {
  const { appId, appSecrets } = ctx.settings
  const [secret] = appSecrets
  return appId === null || secret === undefined ? null : { id: appId, secret }
}

/**
 * Returns the credentials of a number's app: its own, otherwise the installation's. Returns `null`
 * if the secret is unknown.
 */
export function appOf(
  ctx: Pick<Ctx, 'settings' | 'vault'>,
  row: AccountRow,
): AppCredentials | null {
  const installed = installedApp(ctx)
  if (row.appId === null || row.appId === installed?.id) return installed
  const secret = openSecret(ctx, row, 'appSecretSealed')
  return secret === null ? null : { id: row.appId, secret }
}

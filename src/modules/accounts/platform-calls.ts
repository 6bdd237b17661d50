import type { Ctx } from '../../infra/ctx'
import type { AppCredentials } from '../../platform/client/administration'
import { openSecret } from './secrets'
import type { AccountRow } from './view'

/** Where the platform is to deliver webhooks. */
export const callbackUrl = (ctx: Pick<Ctx, 'settings'>): string =>
  `${ctx.settings.baseUrl}/api/webhook`

/** What calls about a number carry: for one call only, never to be stored. */
export const numberCallOf = (ctx: Pick<Ctx, 'vault'>, row: AccountRow) => ({
  phoneId: row.phoneId,
  apiVersion: row.apiVersion,
  accessToken: openSecret(ctx, row, 'accessTokenSealed') ?? '',
})

/** What calls about the business account of a number carry: likewise. */
export const businessCallOf = (ctx: Pick<Ctx, 'vault'>, row: AccountRow) => ({
  businessId: row.businessId,
  apiVersion: row.apiVersion,
  accessToken: openSecret(ctx, row, 'accessTokenSealed') ?? '',
})

/** The installation's app; `null` when nobody named it. */
export function installedApp(ctx: Pick<Ctx, 'settings'>): AppCredentials | null {
  const { appId, appSecrets } = ctx.settings
  const [secret] = appSecrets
  return appId === null || secret === undefined ? null : { id: appId, secret }
}

/** The app a number belongs to, where its secret is known: its own, else the installation's. */
export function appOf(
  ctx: Pick<Ctx, 'settings' | 'vault'>,
  row: AccountRow,
): AppCredentials | null {
  const installed = installedApp(ctx)
  if (row.appId === null || row.appId === installed?.id) return installed
  const secret = openSecret(ctx, row, 'appSecretSealed')
  return secret === null ? null : { id: row.appId, secret }
}

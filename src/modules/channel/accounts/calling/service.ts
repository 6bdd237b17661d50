import { InvalidError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { CallingFacts } from '../../../../platform/client/calling-calls'
import type { JsonObject } from '../../../../platform/lenient-json'
import { differences, recordAudit } from '../../../organization/audit/record'
import { getOrganization } from '../../../organization/organizations/service'
import { numberCallOf } from '../platform-calls'
import { callPlatform } from '../platform-errors'
import { getAccount } from '../queries'
import type { AccountRow } from '../view'
import { dayOf, fromPlatformHours, toPlatformHours } from './hours'
import type { CallingChanges, CallingView } from './model'

const READ = {
  rejected: 'The platform rejected the request for the calling settings of this number.',
}
const WRITE = { rejected: 'The platform rejected these calling settings.' }

const factsOf = (ctx: Ctx, row: AccountRow, withPassword = false): Promise<CallingFacts> =>
  callPlatform(ctx.platform.getCallingSettings({ ...numberCallOf(ctx, row), withPassword }), READ)

/** The platform leaves out what was never set. */
const switchOf = (word: string | null): 'ENABLED' | 'DISABLED' =>
  word === 'ENABLED' ? 'ENABLED' : 'DISABLED'

const callingView = ({ hours, sip, sipPassword, ...facts }: CallingFacts): CallingView => ({
  status: switchOf(facts.status),
  icon_visibility: facts.iconVisibility === 'DISABLE_ALL' ? 'DISABLE_ALL' : 'DEFAULT',
  countries: facts.countries,
  hours: hours?.isEnabled === true ? fromPlatformHours(hours.weekly) : null,
  timezone: hours?.timezone ?? null,
  callback_permission: switchOf(facts.callbackPermission),
  sip: {
    enabled: sip.isEnabled,
    servers: sip.servers.map(({ hostname, port, requestUriUserParams }) => ({
      hostname,
      port,
      request_uri_user_params: requestUriUserParams,
    })),
    password: sipPassword,
  },
})

/**
 * Returns the calling settings of a number from the platform, without the password of SIP. Throws
 * NotFoundError, InvalidError and UnavailableError.
 */
export const readCalling = async (ctx: Ctx, id: string): Promise<CallingView> =>
  callingView(await factsOf(ctx, getAccount(ctx, id)))

/**
 * Changes the calling settings of a number at the platform and records the change. The answer that
 * enables SIP has the password of SIP. Throws the errors of readCalling, and InvalidError
 * `platform_rejected` with the platform's reason.
 */
export async function changeCalling(
  ctx: Ctx,
  id: string,
  changes: CallingChanges,
): Promise<CallingView> {
  const row = getAccount(ctx, id)
  const before = await factsOf(ctx, row)
  const calling = payloadOf(ctx, before, changes)
  await callPlatform(ctx.platform.setCallingSettings({ ...numberCallOf(ctx, row), calling }), WRITE)
  const enablesSip = changes.sip?.enabled === true && !before.sip.isEnabled
  const after = await factsOf(ctx, row, enablesSip)
  transact(ctx.db, (tx) =>
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'account',
      resourceId: row.id,
      resourceName: row.name,
      changes: differences(recorded(before), recorded(after)),
    }),
  )
  return callingView(after)
}

/** The settings in the audit log, without the password. */
const recorded = (facts: CallingFacts): Record<string, unknown> => {
  const { sip, ...rest } = callingView({ ...facts, sipPassword: null })
  return { ...rest, sip_enabled: sip.enabled, sip_servers: sip.servers }
}

function payloadOf(ctx: Ctx, before: CallingFacts, changes: CallingChanges): JsonObject {
  const { status, icon_visibility, countries, hours, callback_permission, sip } = changes
  return {
    ...(status === undefined ? {} : { status }),
    ...(icon_visibility === undefined ? {} : { call_icon_visibility: icon_visibility }),
    ...(countries === undefined ? {} : { call_icons: { restrict_to_user_countries: countries } }),
    ...(hours === undefined ? {} : hoursPayload(ctx, before, hours)),
    ...(callback_permission === undefined
      ? {}
      : { callback_permission_status: callback_permission }),
    ...(sip === undefined ? {} : { sip: sipPayload(before, sip) }),
  }
}

/**
 * Returns the hours in the platform's form. The platform replaces all of them, so holidays that
 * were set elsewhere are sent along.
 */
function hoursPayload(
  ctx: Ctx,
  { hours: before }: CallingFacts,
  hours: NonNullable<CallingChanges['hours']> | null,
): JsonObject {
  const holidays = before?.holidays ?? []
  if (hours === null)
    return before?.isEnabled === true
      ? {
          call_hours: {
            status: 'DISABLED',
            timezone_id: before.timezone,
            weekly_operating_hours: before.weekly.map(entryPayload),
            holiday_schedule: holidays,
          },
        }
      : {}
  const weekly = toPlatformHours(
    hours.map((entry) => ({ enabled: true, ...entry, day: dayOf(entry.day) })),
  )
  if (weekly.length === 0)
    throw new InvalidError(
      '`hours` has no enabled entry. Send `null` to accept calls at any time.',
      {
        code: 'invalid_input',
        errors: [{ path: 'body.hours', message: 'must have an enabled entry' }],
      },
    )
  return {
    call_hours: {
      status: 'ENABLED',
      timezone_id: getOrganization(ctx).timezone,
      weekly_operating_hours: weekly.map(entryPayload),
      holiday_schedule: holidays,
    },
  }
}

const entryPayload = ({
  dayOfWeek,
  openTime,
  closeTime,
}: NonNullable<CallingFacts['hours']>['weekly'][number]): JsonObject => ({
  day_of_week: dayOfWeek,
  open_time: openTime,
  close_time: closeTime,
})

function sipPayload(before: CallingFacts, sip: NonNullable<CallingChanges['sip']>): JsonObject {
  const isEnabled = sip.enabled ?? before.sip.isEnabled
  const servers =
    sip.servers ??
    before.sip.servers.map(({ hostname, port, requestUriUserParams }) => ({
      hostname,
      port,
      request_uri_user_params: requestUriUserParams,
    }))
  return {
    status: isEnabled ? 'ENABLED' : 'DISABLED',
    servers: servers.map(({ hostname, port, request_uri_user_params }) => ({
      hostname,
      ...(port === undefined || port === null ? {} : { port }),
      ...(request_uri_user_params === undefined || Object.keys(request_uri_user_params).length === 0
        ? {}
        : { request_uri_user_params }),
    })),
  }
}

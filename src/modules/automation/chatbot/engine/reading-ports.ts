import { compileHours, isOpen, type HoursEntry } from '../../../../lib/business-hours'
import type { Ctx } from '../../../../infra/ctx'
import { organizationLanguage } from '../../../organization/memberships/founder'
import { effectiveSettings } from '../../chatbot-settings/effective'
import { businessHoursAt } from '../../chatbot-settings/hours/queries'
import { getOrganization } from '../../../organization/organizations/service'
import { publishedVersion, versionOf, type FlowVersion } from '../bot-flows/queries'
import type { Ports } from './ports'
import { candidatesOf } from './candidates-of'

/** The ports that only read, of the organization's own data. */
export type ReadingPorts = Pick<
  Ports,
  | 'settings'
  | 'timezone'
  | 'country'
  | 'language'
  | 'liquid'
  | 'nowMs'
  | 'newId'
  | 'mayContinue'
  | 'elapsedMs'
  | 'isOpenNow'
  | 'opensAtMs'
  | 'isWithin'
  | 'candidates'
  | 'publishedFlow'
  | 'flowVersion'
>

/** Time that a run may take before other work has its turn, milliseconds. */
const HOP_MS = 8

/** Returns the ports that production and preview have in common. `nowMs` is the time of the run. */
export function readingPorts(
  ctx: Ctx,
  { accountId, nowMs }: { accountId: string | null; nowMs: () => number },
): ReadingPorts {
  const { timezone, defaultCountry } = getOrganization(ctx)
  const startedMs = performance.now()
  const versions = new Map<string, FlowVersion | null>()
  return {
    settings: effectiveSettings(ctx, accountId),
    timezone,
    country: defaultCountry,
    get language() {
      return organizationLanguage(ctx)
    },
    liquid: ctx.liquid,
    nowMs,
    newId: () => ctx.ids.next(),
    mayContinue: () => performance.now() - startedMs < HOP_MS,
    elapsedMs: () => Math.round(performance.now() - startedMs),
    isOpenNow: () => businessHoursAt(ctx, accountId, nowMs()).isOpen,
    opensAtMs: () => businessHoursAt(ctx, accountId, nowMs()).opensAtMs,
    isWithin: (schedule) => isOpen(compileHours(schedule as HoursEntry[]), timezone, nowMs()),
    candidates: (turn) => candidatesOf(ctx, { accountId, nowMs: nowMs() }, turn),
    publishedFlow: (flowId) => publishedVersion(ctx, flowId),
    flowVersion: (flowId, version) => {
      const key = `${flowId}/${version}`
      const known = versions.get(key)
      if (known !== undefined) return known
      const found = versionOf(ctx, flowId, version)
      versions.set(key, found)
      return found
    },
  }
}

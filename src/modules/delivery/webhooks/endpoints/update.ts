import { foldText } from '../../../../lib/fold-text'
import type { Ctx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { differences, recordAudit } from '../../../organization/audit/record'
import type { EndpointChanges, EndpointView } from '../model'
import { getEndpointRow } from '../queries'
import type { EndpointRow } from '../row'
import { sealSecret } from '../secrets'
import { allEventsOf, endpointView, eventsOf } from '../view'
import { changeEndpointIn, type RowChanges } from './change'
import { auditedView, requireFreeName } from './create'
import { disabledColumns, endDeliveriesOf } from './disable'
import {
  headersBefore,
  readHeaders,
  readNumbers,
  requireAccounts,
  requireAllowedUrl,
  requireEvents,
  requireHeadersStay,
  requireMaySee,
  requireNumbersMayMove,
} from './validate'

/** Makes an endpoint active: forgets that it was disabled and that it failed. */
const ENABLED: RowChanges = {
  disabledAtMs: null,
  disabledReason: null,
  failingSinceMs: null,
  failures: 0,
  firstFailedId: null,
  downSinceMs: null,
  nextProbeAtMs: null,
  probes: 0,
  notices: 0,
  missed: 0,
}

/**
 * Changes the given fields of an endpoint. Throws NotFoundError and the errors of a new endpoint.
 */
export function updateEndpoint(ctx: Ctx, id: string, changes: EndpointChanges): EndpointView {
  return transact(ctx.db, (tx) => {
    const before = getEndpointRow(ctx, id)
    validate(ctx, before, changes)
    return saveIn(tx, ctx, before, columnsOf(ctx, before, changes))
  })
}

/** Enables an endpoint. It gets the events from now on. Throws NotFoundError and ForbiddenError. */
export const enableEndpoint = (ctx: Ctx, id: string): EndpointView =>
  updateEndpoint(ctx, id, { is_active: true })

/** Disables an endpoint. Its open deliveries are missed. Throws NotFoundError. */
export const disableEndpoint = (ctx: Ctx, id: string): EndpointView =>
  updateEndpoint(ctx, id, { is_active: false })

/**
 * Deletes an endpoint. Its open deliveries are canceled in the background. Throws NotFoundError.
 */
export function deleteEndpoint(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const row = getEndpointRow(ctx, id)
    changeEndpointIn(tx, ctx, id, {
      deletedAtMs: ctx.clock.nowMs(),
      headersSealed: null,
      headerNames: '[]',
      previousSecretSealed: null,
      previousExpiresAtMs: null,
      downSinceMs: null,
      nextProbeAtMs: null,
    })
    endDeliveriesOf(tx, ctx, id)
    recordAudit(tx, ctx, {
      action: 'deleted',
      resourceType: 'webhook_endpoint',
      resourceId: id,
      resourceName: row.name,
    })
  })
}

function validate(ctx: Ctx, before: EndpointRow, changes: EndpointChanges): void {
  const { name, url, events, account_ids: accounts, is_active: isActive } = changes
  if (url !== undefined) requireAllowedUrl(ctx, url)
  if (url !== undefined && url !== before.url) requireNumbersMayMove(ctx, before, changes)
  if (events !== undefined) requireEvents(events)
  if (events !== undefined || url !== undefined || isActive === true)
    requireMaySee(ctx, events ?? eventsOf(before))
  if (url !== undefined && url !== before.url) requireMaySee(ctx, allEventsOf(before))
  if (accounts !== undefined) requireAccounts(ctx, accounts, before)
  if (name !== undefined) requireFreeName(ctx, name, before)
}

function columnsOf(ctx: Ctx, before: EndpointRow, changes: EndpointChanges): RowChanges {
  const { name, url, events, account_ids: accounts, ordering, concurrency } = changes
  return {
    ...(name === undefined ? {} : { name: name.trim(), nameKey: foldText(name) }),
    ...(url === undefined ? {} : { url }),
    ...(events === undefined
      ? {}
      : { events: JSON.stringify(events), pastEvents: JSON.stringify(allEventsOf(before)) }),
    ...(accounts === undefined ? {} : { accountIds: JSON.stringify(accounts) }),
    ...headerColumns(ctx, before, changes),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(ordering === undefined ? {} : { ordering }),
    ...(changes.rate_per_second === undefined ? {} : { ratePerSecond: changes.rate_per_second }),
    ...(changes.include_phone_numbers === undefined
      ? {}
      : { includePhoneNumbers: readNumbers(ctx, changes) }),
    ...activityColumns(ctx, before, changes.is_active),
  }
}

function headerColumns(ctx: Ctx, before: EndpointRow, { headers: given, url }: EndpointChanges) {
  if (given === undefined) {
    requireHeadersStay(before, url)
    return {}
  }
  const headers = readHeaders(given, headersBefore(ctx, before, url))
  const names = Object.keys(headers)
  return {
    headerNames: JSON.stringify(names),
    headersSealed:
      names.length === 0 ? null : sealSecret(ctx, before, 'headersSealed', JSON.stringify(headers)),
  }
}

function activityColumns(ctx: Ctx, before: EndpointRow, isActive: boolean | undefined): RowChanges {
  if (isActive === true) return before.disabledAtMs === null ? {} : ENABLED
  if (isActive === false && before.disabledAtMs === null) return disabledColumns(ctx, 'manual')
  return {}
}

function saveIn(tx: Tx, ctx: Ctx, before: EndpointRow, set: RowChanges): EndpointView {
  const nowMs = ctx.clock.nowMs()
  changeEndpointIn(tx, ctx, before.id, { ...set, updatedAtMs: nowMs })
  if (typeof set.disabledAtMs === 'number') endDeliveriesOf(tx, ctx, before.id)
  const view = endpointView(getEndpointRow(ctx, before.id), nowMs)
  recordAudit(tx, ctx, {
    action: 'updated',
    resourceType: 'webhook_endpoint',
    resourceId: view.id,
    resourceName: view.name,
    changes: differences(auditedView(endpointView(before, nowMs)), auditedView(view)),
  })
  return view
}

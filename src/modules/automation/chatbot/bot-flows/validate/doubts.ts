import { isNeverOpen } from '../../../../../lib/business-hours'
import type { Ctx } from '../../../../../infra/ctx'
import { isPlain } from '../../../../../infra/liquid/liquid'
import { definitionsOf } from '../../../../inbox/contacts/attributes/service'
import { plainFields } from '../../../../inbox/contacts/plain-fields'
import { missingParams } from '../../missing-params'
import type { NodeOf } from '../graph'
import type { Finding } from './findings'
import type { ReadNode } from './read-nodes'

/** Returns what the nodes of a valid graph will not be able to do, as far as that shows already. */
export function doubtsAbout(ctx: Ctx, nodes: readonly ReadNode[]): Finding[] {
  const doubts: Finding[] = []
  for (const { node, path } of nodes) {
    const doubt = (field: string, message: string): void =>
      void doubts.push({ path: `${path}.config.${field}`, message, severity: 'graph' })
    if (node?.type === 'template') doubtTemplate(ctx, node, doubt)
    if (node?.type === 'timing' && isNeverOpen(node.config.schedule ?? []))
      doubt('schedule', 'has no open minute, so the outcome is always out_of_hours')
    if (node?.type === 'update_contact') doubtUpdate(ctx, node, doubt)
  }
  return doubts
}

type Doubt = (field: string, message: string) => void

function doubtTemplate(ctx: Ctx, { config }: NodeOf<'template'>, doubt: Doubt): void {
  const lack = missingParams(ctx, config.template_id, config.params)
  if (lack !== null) doubt('params', lack)
}

function doubtUpdate(ctx: Ctx, { config }: NodeOf<'update_contact'>, doubt: Doubt): void {
  const keys = Object.keys(config.attributes ?? {})
  const known = keys.length === 0 ? new Map<string, unknown>() : definitionsOf(ctx)
  for (const key of keys)
    if (!known.has(key)) doubt(`attributes.${key}`, 'is no custom field, so it is not written')
  for (const { field, isValid, rule } of plainFields) {
    const text = config[field]
    if (text != null && isPlain(text) && !isValid(text))
      doubt(field, `${rule}, or it is not written`)
  }
}

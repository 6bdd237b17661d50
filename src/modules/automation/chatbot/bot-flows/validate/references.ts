import { and, inArray, isNull } from 'drizzle-orm'

import { UUID_PATTERN } from '../../../../../lib/ids'
import { inOrganization, type Ctx } from '../../../../../infra/ctx'
import { findVisibleMedia } from '../../../../channel/media/queries'
import { findActiveMember } from '../../../../organization/memberships/find'
import { flows } from '../../../../channel/flows/table'
import { findTeam } from '../../../../inbox/teams/find'
import { knownTagIds } from '../../../../inbox/tags/queries'
import { findTemplate } from '../../../../channel/templates/queries'
import { outcomesOf, type GraphNode } from '../graph'
import { botFlows, type botFlowReferences } from '../table'
import type { Findings } from './findings'

/** The kind of a thing that a graph names. */
export type ReferenceKind = (typeof botFlowReferences.$inferSelect)['kind']

/** A thing that a graph names, and the field that names it. */
export interface Reference {
  kind: ReferenceKind
  id: string
  path: string
}

const one = (kind: ReferenceKind, id: string | null | undefined, path: string): Reference[] =>
  typeof id === 'string' ? [{ kind, id: id.toLowerCase(), path }] : []

/** Returns the things that a node names. `path` is the path of its config. */
export function referencesOf(node: GraphNode, path: string): Reference[] {
  switch (node.type) {
    case 'media':
      return one('media', node.config.media_id, `${path}.media_id`)
    case 'template':
      return one('template', node.config.template_id, `${path}.template_id`)
    case 'whatsapp_flow':
      return one('flow', node.config.flow_id, `${path}.flow_id`)
    case 'goto_flow':
      return one('bot_flow', node.config.flow_id, `${path}.flow_id`)
    case 'tag':
      return (['add', 'remove'] as const).flatMap((field) =>
        node.config[field].flatMap((id, index) => one('tag', id, `${path}.${field}.${index}`)),
      )
    case 'assign':
      return [
        ...one('user', node.config.user_id, `${path}.user_id`),
        ...one('team', node.config.team_id, `${path}.team_id`),
      ]
    case 'transfer':
      return node.config.team_id === 'general'
        ? []
        : one('team', node.config.team_id, `${path}.team_id`)
    case 'buttons':
    case 'interactive':
      return buttonReferences(node, path)
    default:
      return []
  }
}

const FLOW_BUTTON = new RegExp(`^button:flow:(${UUID_PATTERN})$`)

/** A button whose id is `flow:<id>` begins that flow wherever it is tapped. */
const buttonReferences = (node: GraphNode, path: string): Reference[] =>
  outcomesOf(node).flatMap((outcome) => one('bot_flow', FLOW_BUTTON.exec(outcome)?.[1], path))

const NAMES: Record<ReferenceKind, string> = {
  bot_flow: 'a bot flow',
  flow: 'a flow',
  template: 'a template',
  media: 'a file',
  tag: 'a tag',
  team: 'a team',
  user: 'an active member',
}

/** Reports things that the organization does not have. */
export function reportUnknown(
  ctx: Ctx,
  references: readonly Reference[],
  findings: Findings,
): void {
  for (const kind of new Set(references.map((reference) => reference.kind))) {
    const named = references.filter((reference) => reference.kind === kind)
    const known = knownIds(ctx, kind, [...new Set(named.map(({ id }) => id))])
    for (const { id, path } of named)
      if (!known.has(id)) findings.add(path, `is not ${NAMES[kind]} of this organization`)
  }
}

function knownIds(ctx: Ctx, kind: ReferenceKind, ids: string[]): Set<string> {
  switch (kind) {
    case 'bot_flow':
      return new Set(
        ctx.db.orm
          .select({ id: botFlows.id })
          .from(botFlows)
          .where(
            inOrganization(
              ctx,
              botFlows,
              and(inArray(botFlows.id, ids), isNull(botFlows.deletedAtMs)),
            ),
          )
          .all()
          .map(({ id }) => id),
      )
    case 'flow':
      return new Set(
        ctx.db.orm
          .select({ id: flows.id })
          .from(flows)
          .where(inOrganization(ctx, flows, and(inArray(flows.id, ids), isNull(flows.deletedAtMs))))
          .all()
          .map(({ id }) => id),
      )
    case 'tag':
      return new Set(knownTagIds(ctx, ids))
    default:
      return new Set(ids.filter((id) => exists(ctx, kind, id)))
  }
}

function exists(ctx: Ctx, kind: 'template' | 'media' | 'team' | 'user', id: string): boolean {
  switch (kind) {
    case 'template':
      return findTemplate(ctx, id)?.deletedAtMs === null
    case 'media':
      return findVisibleMedia(ctx, id)?.state === 'ready'
    case 'team':
      return findTeam(ctx, id) !== null
    case 'user':
      return findActiveMember(ctx, id) !== null
  }
}

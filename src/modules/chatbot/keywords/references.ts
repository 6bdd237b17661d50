import { and, eq, isNull } from 'drizzle-orm'

import { InvalidError, fieldSentence, type FieldProblem } from '../../../lib/errors'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { findAccount } from '../../accounts/queries'
import { findVisibleMedia } from '../../media/queries'
import { findTeam } from '../../teams/find'
import { findTemplate } from '../../templates/queries'
import { botFlows } from '../bot-flows/table'
import type { Content } from './model'

/** What a rule refers to. */
interface References {
  accountId?: string | null | undefined
  content?: Content
}

/** Throws InvalidError `bad_reference` that names everything the organization does not have. */
export function requireReferences(ctx: Ctx, { accountId = null, content = {} }: References): void {
  const problems: FieldProblem[] = []
  const check = (path: string, id: string | null | undefined, isKnown: (id: string) => boolean) => {
    if (id !== undefined && id !== null && !isKnown(id))
      problems.push({ path: `body.${path}`, message: 'does not exist in this organization' })
  }
  const at = 'response_content'
  const { media_id, template_id, flow_id, team_id } = content
  check('account_id', accountId, (id) => findAccount(ctx, id)?.deletedAtMs === null)
  check(`${at}.media_id`, media_id, (id) => findVisibleMedia(ctx, id)?.state === 'ready')
  check(`${at}.template_id`, template_id, (id) => findTemplate(ctx, id)?.deletedAtMs === null)
  check(`${at}.flow_id`, flow_id, (id) => hasBotFlow(ctx, id))
  check(`${at}.team_id`, team_id === 'general' ? null : team_id, (id) => findTeam(ctx, id) !== null)
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'bad_reference',
      errors: problems,
    })
}

const hasBotFlow = (ctx: Ctx, id: string): boolean =>
  ctx.db.orm
    .select({ id: botFlows.id })
    .from(botFlows)
    .where(inOrganization(ctx, botFlows, and(eq(botFlows.id, id), isNull(botFlows.deletedAtMs))))
    .get() !== undefined

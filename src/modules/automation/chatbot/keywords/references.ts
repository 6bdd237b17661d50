import { InvalidError, fieldSentence, type FieldProblem } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { findAccount } from '../../../channel/accounts/queries'
import { hasBotFlow, reportButtonTargets } from '../../chatbot-settings/button-targets'
import { findVisibleMedia } from '../../../channel/media/queries'
import { findTeam } from '../../../inbox/teams/find'
import { findTemplate } from '../../../channel/templates/queries'
import type { RuleContent } from './table'

/** What a rule refers to. */
interface References {
  accountId?: string | null | undefined
  content?: RuleContent
  /** The content of the rule so far. */
  former?: RuleContent
}

/** Throws InvalidError `bad_reference` that names everything the organization does not have. */
export function requireReferences(
  ctx: Ctx,
  { accountId = null, content = {}, former = {} }: References,
): void {
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
  reportButtonTargets(ctx, (path, message) => problems.push({ path, message }), {
    path: `body.${at}.buttons`,
    given: content.buttons ?? [],
    former: former.buttons ?? [],
  })
  const [first] = problems
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'bad_reference',
      errors: problems,
    })
}

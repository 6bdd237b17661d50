import { Link } from '@tanstack/react-router'

import type { Account, NumberRouting } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useApi } from '../../../live/query'
import { Section } from '../../../parts/page'
import { t } from '../../../texts/texts'

/** Returns where new chats wait, which is the same for all numbers of the organization. */
function useQueueSentence(): string {
  const queue = useMe().organization.settings.new_conversations
  const isTeam = queue !== 'nobody' && queue !== 'general'
  const canRead = useCan('teams:read')
  const team = useApi('GET /api/teams/{id}', { params: { id: queue } }, isTeam && canRead).data
    ?.team
  if (!isTeam) return t(`number.routing.${queue}`)
  return team ? t('number.routing.team', { name: team.name }) : t('number.routing.a-team')
}

/** Says whether the bot treats this number as all others. */
function Bot({ account }: { account: Account }) {
  const canRead = useCan('chatbot:read')
  const query = { account_id: account.id }
  const settings = useApi('GET /api/chatbot/settings', { query }, canRead).data
  if (!settings) return null
  const key = settings.chatbot_enabled ? 'on' : 'off'
  return (
    <li>
      {t(`number.routing.bot-${key}`)}{' '}
      {t(settings.overridden.length === 0 ? 'number.routing.bot-common' : 'number.routing.bot-own')}
    </li>
  )
}

/** Says who else answers the customers of this number, if somebody does. */
function Shared({ routing }: { routing: NumberRouting | undefined }) {
  if (!routing?.shared) return null
  const { ours, platform_agent: agent, other_app: app } = routing.counts_24h
  return <li>{t('number.routing.shared', { ours, agent, app })}</li>
}

/** Who gets the new chats of a number. */
export function Routing({
  account,
  routing,
}: {
  account: Account
  routing: NumberRouting | undefined
}) {
  const sentence = useQueueSentence()
  const canChange = useCan('chatbot:update', 'settings:update')
  return (
    <Section
      title={t('number.routing.title')}
      hint={t('number.routing.hint')}
      actions={
        canChange && (
          <Link className="button plain" to="/settings/hours" search={{}}>
            {t('number.routing.change')}
          </Link>
        )
      }
    >
      <ul className="sentences">
        <li>{sentence}</li>
        <Bot account={account} />
        <Shared routing={routing} />
      </ul>
    </Section>
  )
}

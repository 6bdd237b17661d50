import type { Conversation } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { Button } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { roleName } from '../../../parts/role-name'
import { t } from '../../../texts/texts'
import { botWaitWords } from '../bot-words'

/** Says until when a flow of the bot waits, whose conversation it is then. */
export function BotNotice({ conversation }: Pick<Props, 'conversation'>) {
  const words = botWaitWords(conversation)
  return (
    words !== null && (
      <p className="owner-notice" role="status">
        <Icon name="chatbot" size={16} />
        <span className="grow">{words}</span>
      </p>
    )
  )
}

interface Props {
  conversation: Conversation
  onTakeOver: () => void
}

/**
 * Says who answers the customer if it is not the organization, and lets a person take over who may,
 * on a number whose role allows it.
 */
export function OwnerNotice({ conversation, onTakeOver }: Props) {
  const { thread_owner: owner, owner_role: role, can_take: canTake } = conversation
  const mayTake = useCan('transfers:assign')
  if (owner !== 'platform_agent' && owner !== 'other_app') return null
  const who =
    owner === 'other_app' && role !== null
      ? t('inbox.owner.other-role', { role: roleName(role) })
      : t(`inbox.owner.${owner}`)
  return (
    <p className="owner-notice">
      <Icon name="eye" size={16} />
      <span className="grow">{canTake ? who : `${who} ${t('inbox.owner.no-take')}`}</span>
      {canTake && mayTake && <Button onPress={onTakeOver}>{t('inbox.action.claim')}</Button>}
    </p>
  )
}

import type { Conversation } from '../../../api/shapes'
import { Button } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { t } from '../../../texts/texts'

interface Props {
  conversation: Conversation
  onTakeOver: () => void
}

/** Says who answers the customer if it is not the organization, and lets the person take over. */
export function OwnerNotice({ conversation, onTakeOver }: Props) {
  const { thread_owner: owner } = conversation
  if (owner !== 'platform_agent' && owner !== 'other_app') return null
  return (
    <p className="owner-notice">
      <Icon name="eye" size={16} />
      <span className="grow">{t(`inbox.owner.${owner}`)}</span>
      <Button onPress={onTakeOver}>{t('inbox.action.claim')}</Button>
    </p>
  )
}

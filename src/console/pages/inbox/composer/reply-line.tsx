import { useQueryClient } from '@tanstack/react-query'

import { findMessage } from '../../../live/thread'
import { IconButton } from '../../../parts/button'
import { t } from '../../../texts/texts'

/** The message that is answered, above the field. */
export function ReplyLine({ id, onCancel }: { id: string; onCancel: () => void }) {
  const client = useQueryClient()
  return (
    <div className="reply-line">
      <span className="grow" dir="auto">
        {findMessage(client, id)?.preview}
      </span>
      <IconButton icon="close" size={14} label={t('parts.action.cancel')} onPress={onCancel} />
    </div>
  )
}

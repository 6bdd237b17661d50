import { Confirm } from '../../parts/dialog'
import { notify, report } from '../../parts/toast'
import { t } from '../../texts/texts'

interface Props {
  /** What is deleted, by its name. */
  name: string
  /** What else the deletion changes. */
  text: string
  /** Whether it is known what the deletion changes. */
  isReady?: boolean
  /** What has to be typed first, such as the number of people when they are many. */
  typed?: string | undefined
  onDelete: () => Promise<unknown>
  onClose: () => void
}

/** Asks before something is deleted, then deletes it. Mount it to open it. */
export function DeleteDialog({ name, text, isReady = true, typed, onDelete, onClose }: Props) {
  return (
    <Confirm
      isOpen
      title={t('settings.delete.title', { name })}
      text={text}
      isReady={isReady}
      typed={typed}
      action={t('settings.delete.action', { name })}
      onClose={onClose}
      onConfirm={() => {
        onDelete()
          .then(() => {
            notify(t('settings.delete.done', { name }))
          })
          .catch(report)
      }}
    />
  )
}

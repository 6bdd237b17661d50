import { useApi } from '../../live/query'
import { Avatar } from '../../parts/avatar'
import { useDropTarget } from '../../parts/drop-target'
import { t } from '../../texts/texts'

/** The colleagues whom a transfer that is being dragged is given to when it is dropped on them. */
export function DropOn({ onDrop }: { onDrop: (userId: string) => void }) {
  const { data } = useApi('GET /api/colleagues', { query: { limit: 100 } })
  return (
    // keys and menus do the same for those who do not drag
    <aside className="drop-on" aria-hidden="true">
      <p className="muted small">{t('transfers.action.drop')}</p>
      <ul>
        {(data?.items ?? []).map(({ id, full_name: name, is_available: isAvailable }) => (
          <Target
            key={id}
            name={name}
            isAway={!isAvailable}
            onDrop={() => {
              onDrop(id)
            }}
          />
        ))}
      </ul>
      {(data?.total_pages ?? 1) > 1 && (
        <p className="muted small">
          {t('transfers.action.drop-more', { assign: t('transfers.action.assign') })}
        </p>
      )}
    </aside>
  )
}

interface TargetProps {
  name: string
  isAway: boolean
  onDrop: () => void
}

function Target({ name, isAway, onDrop }: TargetProps) {
  return (
    <li className="drop-target" {...useDropTarget(onDrop)}>
      <Avatar name={name} size="small" />
      <bdi className="grow">{name}</bdi>
      {isAway && <span className="muted small">{t('shell.account.away')}</span>}
    </li>
  )
}

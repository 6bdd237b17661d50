import { useState } from 'react'

import { call } from '../../api/client'
import { Progress } from '../../parts/progress'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { progressOf, type Move } from './rules'
import { TypedDialog } from './typed-dialog'
import { moveError, reasonOfMove } from './words'
import { useRefresh } from '../../live/use-refresh'

const ABORTABLE = new Set<Move['step']>([
  'freezing',
  'draining',
  'exporting',
  'uploading',
  'importing',
])

/** A move with how far it is, live, and the way to stop it. */
export function MoveItem({ move, name }: { move: Move; name: string }) {
  const { step, to, organization_id: id, created_at: at, finished_at: ended } = move
  const [isAsked, setAsked] = useState(false)
  const changed = useRefresh('GET /api/admin/organizations/moves', 'GET /api/organizations')
  const isOpen = ended === null
  const reason = reasonOfMove(move)
  return (
    <li className="item move-item">
      <div className="grow">
        <p className="item-name">
          <bdi>{name}</bdi>
          <span className={step === 'aborted' || step === 'aborting' ? 'chip warn' : 'chip'}>
            {t(`server.move-step.${step}`)}
          </span>
        </p>
        <p className="muted small">
          {t('server.moves.from-to', { address: to, time: formatDateTime(at) })}
        </p>
        {reason !== null && <p className="small">{reason}</p>}
        {isOpen && (
          <Progress
            label={t(`server.move-step.${step}-hint`)}
            {...progressOf(move)}
            state="running"
            {...(ABORTABLE.has(step)
              ? {
                  onCancel: () => {
                    setAsked(true)
                  },
                }
              : {})}
          />
        )}
      </div>
      {isAsked && (
        <TypedDialog
          title={t('server.moves.abort-title', { name })}
          text={t('server.moves.abort-hint')}
          action={t('server.moves.abort')}
          name={name}
          onConfirm={() =>
            call('DELETE /api/admin/organizations/{id}/move', { params: { id } }).then(
              changed,
              (error: unknown) => {
                throw moveError(error)
              },
            )
          }
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </li>
  )
}

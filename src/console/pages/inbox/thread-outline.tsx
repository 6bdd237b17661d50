import { useCan } from '../../live/me'
import { Skeleton } from '../../parts/state'
import { isPanelWanted } from './panel/use-panel'

/** The outline of a conversation while it is loaded: every part stands where it will be. */
export function ThreadOutline() {
  const mayWrite = useCan('messages:create')
  return (
    <>
      <section className="thread-pane">
        <div className="thread-outline-head" />
        <div className="thread-outline-messages">
          <Skeleton shape="bubble" rows={7} />
        </div>
        {mayWrite && <div className="thread-outline-composer" />}
      </section>
      {isPanelWanted() && <div className="panel-outline" />}
    </>
  )
}

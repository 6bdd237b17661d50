import { Link } from '@tanstack/react-router'

import { useCan } from '../../live/me'
import { Button, IconButton } from '../../parts/button'
import { Icon } from '../../parts/icons'
import { Menu, MenuItem } from '../../parts/menu'
import { sentenceOf } from '../../parts/state'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { exportFlow } from './file'
import { useFlow } from './use-flow'

interface Props {
  isList: boolean
  /** Whether there is room for the canvas. */
  hasCanvas: boolean
  side: 'test' | 'versions' | undefined
  onList: (isList: boolean) => void
  onTest: () => void
  onVersions: () => void
  onPublish: () => void
}

/** The name and state of a flow, and what is done with all of it. */
export function Head(props: Props) {
  const { isList, hasCanvas, side, onList, onTest, onVersions, onPublish } = props
  const { flow, store, history, isEditable } = useFlow()
  const mayTest = useCan('chatbot:update')
  return (
    <header className="flow-head">
      <Link className="icon-button quiet" to="/bot/flows" search={{}} aria-label={t('flow.back')}>
        <Icon name="left" />
      </Link>
      <div className="grow flow-title">
        <h1 tabIndex={-1}>
          <bdi>{flow.name}</bdi>
        </h1>
        <State />
      </div>
      {isEditable && (
        <>
          <IconButton
            icon="reply"
            label={t('flow.undo')}
            shortcut="Ctrl Z"
            isDisabled={history.past.length === 0}
            onPress={store.undo}
          />
          <IconButton
            icon="forward"
            label={t('flow.redo')}
            shortcut="Ctrl Shift Z"
            isDisabled={history.future.length === 0}
            onPress={store.redo}
          />
        </>
      )}
      {hasCanvas && (
        <IconButton
          icon={isList ? 'select' : 'list'}
          label={t(isList ? 'flow.as-canvas' : 'flow.as-list')}
          onPress={() => {
            onList(!isList)
          }}
        />
      )}
      {mayTest && (
        <Button icon="play" aria-pressed={side === 'test'} onPress={onTest}>
          {t('flow.test')}
        </Button>
      )}
      <Menu
        label={t('parts.action.more')}
        button={<IconButton icon="more" label={t('parts.action.more')} />}
      >
        <MenuItem icon="clock" label={t('flow.versions')} onAction={onVersions} />
        <MenuItem
          icon="download"
          label={t('flow.export')}
          onAction={() => {
            store
              .flush()
              .then(() => exportFlow(flow.id))
              .catch(report)
          }}
        />
      </Menu>
      {isEditable && (
        <Button look="primary" onPress={onPublish}>
          {t('flow.publish')}
        </Button>
      )}
    </header>
  )
}

/** Whether the flow answers customers, and whether the draft is stored. */
function State() {
  const { flow, saving, error, store, isEditable } = useFlow()
  const state = flow.enabled ? 'on' : flow.version === null ? 'draft' : 'off'
  return (
    <p className="flow-state small">
      <span className={flow.enabled ? 'chip good' : 'chip'}>{t(`flow.state.${state}`)}</span>
      {flow.has_draft && flow.version !== null && <span>{t('flow.state.changed')}</span>}
      {isEditable && (
        <span role="status" className={saving === 'failed' ? 'danger-text' : 'muted'}>
          {saving === 'failed'
            ? t('flow.not-saved', { reason: sentenceOf(error) })
            : t(saving === 'saved' ? 'flow.saved' : 'flow.saving')}
        </span>
      )}
      {saving === 'failed' && (
        <Button
          look="quiet"
          onPress={() => {
            store.flush().catch(() => undefined)
          }}
        >
          {t('parts.action.retry')}
        </Button>
      )}
    </p>
  )
}

import { useApi } from '../../live/query'
import { Dialog } from '../../parts/dialog'
import { Loaded } from '../../parts/loaded'
import { RichText } from '../../parts/rich-text'
import { t } from '../../texts/texts'
import { reasonOf, State, textOfPart } from './columns'

/** The text of a template, as far as it has one. */
export function Preview({ id, onClose }: { id: string; onClose: () => void }) {
  const result = useApi('GET /api/templates/{id}', { params: { id } })
  return (
    <Dialog title={result.data?.display_name ?? t('templates.title')} isOpen onClose={onClose}>
      <Loaded result={result}>
        {(template) => (
          <>
            <p>
              <State template={{ ...template, reason: null, recommendation: null }} />{' '}
              {template.name !== template.display_name && (
                <code className="muted small">{template.name}</code>
              )}
            </p>
            {reasonOf(template) !== '' && <p className="trouble">{reasonOf(template)}</p>}
            <div className="template-text">
              <b dir="auto">{textOfPart(template, 'HEADER')}</b>
              <RichText text={textOfPart(template, 'BODY')} />
              <p className="muted small" dir="auto">
                {textOfPart(template, 'FOOTER')}
              </p>
            </div>
          </>
        )}
      </Loaded>
    </Dialog>
  )
}

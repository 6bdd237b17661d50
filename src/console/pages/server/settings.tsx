import { useState, type ReactNode } from 'react'

import type { Data } from '../../api/client'
import { useApi } from '../../live/query'
import { Checkbox } from '../../parts/choice'
import { GuideLink } from '../../parts/guide-link'
import { Loaded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { SearchBox } from '../../parts/search-box'
import { t } from '../../texts/texts'
import { valueOfSetting } from './words'

type Setting = Data<'GET /api/admin/health'>['settings'][number]

/** A name whose lines end after an underscore, wherever there is room for one. */
const parted = (name: string): ReactNode[] =>
  name.split(/(?<=_)/).flatMap((part, nth) => (nth === 0 ? [part] : [<wbr key={nth} />, part]))

/** The settings of the server, each with its value and where that comes from. */
export function ServerSettings() {
  const result = useApi('GET /api/admin/health', {})
  const [words, setWords] = useState('')
  const [isChosen, setChosen] = useState(false)
  const matches = ({ name, source }: Setting): boolean =>
    name.includes(words.trim().toUpperCase().replaceAll(/\s+/g, '_')) &&
    (!isChosen || source !== 'default')
  return (
    <Page
      title={t('server.settings.title')}
      hint={t('server.settings.hint')}
      actions={<GuideLink href="/docs/configure" isButton />}
    >
      <search className="filter-bar">
        <SearchBox label={t('server.settings.find')} value={words} onChange={setWords} />
        <Checkbox isSelected={isChosen} onChange={setChosen}>
          {t('server.settings.only-chosen')}
        </Checkbox>
      </search>
      <Loaded result={result} rows={10}>
        {({ settings }) => {
          const shown = settings.filter(matches)
          return shown.length === 0 ? (
            <p className="muted">{t('search.none')}</p>
          ) : (
            <dl className="section facts wide-facts server-settings">
              {shown.map((setting) => (
                <div key={setting.name}>
                  <dt>
                    <code dir="ltr">{parted(setting.name)}</code>
                  </dt>
                  <dd>
                    <bdi>{valueOfSetting(setting)}</bdi>
                    <span className="muted small">{t(`server.source.${setting.source}`)}</span>
                  </dd>
                </div>
              ))}
            </dl>
          )
        }}
      </Loaded>
    </Page>
  )
}

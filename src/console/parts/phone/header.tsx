import { useState } from 'react'

import { t } from '../../texts/texts'
import { Icon, type IconName } from '../icons'
import { RichLine } from '../rich-text'
import type { PhoneHeader } from './message'

const HEADER_ICONS = { image: 'image', video: 'video', document: 'file' } as const

/** What a message on the phone begins with. */
export function Header({ header }: { header: PhoneHeader }) {
  if (header.kind === 'text')
    return (
      <p className="phone-title" dir="auto">
        <RichLine text={header.text} />
      </p>
    )
  if (header.kind === 'location')
    return (
      <div className="phone-media place">
        <span className="phone-map">
          <Icon name="location" size={28} />
        </span>
        <span className="phone-file">
          <b dir="auto">{header.name || t('parts.phone.location')}</b>
          {header.address && (
            <span className="small" dir="auto">
              {header.address}
            </span>
          )}
        </span>
      </div>
    )
  if (header.kind === 'product') return <Placeholder icon="cart" label={t('parts.phone.product')} />
  const { kind, file, name } = header
  if (kind === 'document')
    return (
      <div className="phone-media">
        <span className="phone-file">
          <Icon name="file" size={28} />
          <bdi>{name || t('parts.phone.document')}</bdi>
        </span>
      </div>
    )
  return <Picture key={file} kind={kind} file={file} />
}

/** A picture or film; a sign while there is none, or if it cannot be shown. */
function Picture({ kind, file }: { kind: 'image' | 'video'; file: string | null }) {
  const [isBroken, setBroken] = useState(false)
  if (file === null || isBroken)
    return <Placeholder icon={HEADER_ICONS[kind]} label={t(`parts.phone.${kind}`)} />
  const fail = (): void => {
    setBroken(true)
  }
  return (
    <div className="phone-media">
      {kind === 'image' ? (
        <img src={file} alt="" onError={fail} />
      ) : (
        <video src={file} muted preload="metadata" onError={fail} />
      )}
      {kind === 'video' && (
        <span className="phone-play">
          <Icon name="play" size={22} />
        </span>
      )}
    </div>
  )
}

const Placeholder = ({ icon, label }: { icon: IconName; label: string }) => (
  <div className="phone-media empty-media">
    <Icon name={icon} size={32} />
    <span className="small">{label}</span>
  </div>
)

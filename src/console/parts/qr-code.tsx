import { encode, renderSVG } from 'uqr'

/** A text as a QR code: dark on light in both themes, because cameras expect it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text)
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('')
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  )
}

/** Returns a QR code as a file, which any size can be printed of. */
export const qrPicture = (text: string): Blob =>
  new Blob([renderSVG(text, { pixelSize: 16 })], { type: 'image/svg+xml' })

import { download } from '../../api/save-file'

const NAMESPACE = 'http://www.w3.org/2000/svg'
/** What the styles of the page give to a drawing, which a file has to bring itself. */
const LOOKS = [
  'fill',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-size',
  'font-family',
  'font-weight',
  'opacity',
]
/** Pixels of a picture for each pixel of the page. */
const SHARPNESS = 2
const PADDING = 16
const HEAD = 52

/** Something the legend names, and its color. */
interface Named {
  label: string
  color: string
}

const text = (words: string, x: number, y: number, look: Record<string, string>): SVGElement => {
  const element = document.createElementNS(NAMESPACE, 'text')
  element.textContent = words
  for (const [name, value] of Object.entries({ x, y, ...look }))
    element.setAttribute(name, String(value))
  return element
}

const rectangle = (places: Record<string, string | number>): SVGElement => {
  const element = document.createElementNS(NAMESPACE, 'rect')
  for (const [name, value] of Object.entries(places)) element.setAttribute(name, String(value))
  return element
}

/** Returns a drawing as a file of its own: with its title, its legend and its looks. */
function standalone(
  figure: HTMLElement,
  title: string,
): { file: Blob; width: number; height: number } {
  const drawing = figure.querySelector('svg:not(.icon, .sparkline)')
  if (!(drawing instanceof SVGSVGElement)) throw new Error('There is no drawing.')
  const copy = drawing.cloneNode(true) as SVGSVGElement
  const copies = copy.querySelectorAll('*')
  for (const [nth, element] of drawing.querySelectorAll('*').entries()) {
    const style = getComputedStyle(element)
    for (const look of LOOKS) copies[nth]?.setAttribute(look, style.getPropertyValue(look))
    copies[nth]?.removeAttribute('class')
  }
  const [inner, tall] = [drawing.width.baseVal.value, drawing.height.baseVal.value]
  const [width, height] = [inner + 2 * PADDING, tall + HEAD + 2 * PADDING]
  const { color, backgroundColor, fontFamily } = getComputedStyle(figure)
  const all = document.createElementNS(NAMESPACE, 'svg')
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` }))
    all.setAttribute(name, String(value))
  const words = { fill: color, 'font-family': fontFamily }
  all.append(
    rectangle({ width, height, fill: backgroundColor }),
    text(title, PADDING, PADDING + 14, { ...words, 'font-size': '15', 'font-weight': '600' }),
  )
  let x = PADDING
  for (const { label, color: fill } of legendOf(figure)) {
    all.append(rectangle({ x, y: PADDING + 26, width: 12, height: 12, rx: 2, fill }))
    all.append(text(label, x + 18, PADDING + 36, { ...words, 'font-size': '12' }))
    x += 18 + label.length * 7 + 18
  }
  copy.setAttribute('x', String(PADDING))
  copy.setAttribute('y', String(PADDING + HEAD))
  all.append(copy)
  const source = new XMLSerializer().serializeToString(all)
  return { file: new Blob([source], { type: 'image/svg+xml' }), width, height }
}

const legendOf = (figure: HTMLElement): Named[] =>
  [...figure.querySelectorAll<HTMLElement>('.chart-legend > *')].map((entry) => ({
    label: entry.textContent,
    color: getComputedStyle(entry.querySelector('.chart-key') ?? entry).backgroundColor,
  }))

/** Saves the drawing in a figure as a picture, or as a drawing that can be changed. */
export async function saveImage(
  figure: HTMLElement,
  title: string,
  type: 'png' | 'svg',
): Promise<void> {
  const { file, width, height } = standalone(figure, title)
  if (type === 'svg') {
    download(file, `${title}.svg`)
    return
  }
  const image = new Image()
  image.src = URL.createObjectURL(file)
  await image.decode()
  const canvas = document.createElement('canvas')
  canvas.width = width * SHARPNESS
  canvas.height = height * SHARPNESS
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  URL.revokeObjectURL(image.src)
  const picture = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png')
  })
  if (picture) download(picture, `${title}.png`)
}

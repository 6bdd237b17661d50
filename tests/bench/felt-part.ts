/** Measures one part with the executable in `BENCH_BINARY` and prints its figures. */
import { FELT, type FeltPart } from './felt-parts'

const part = JSON.parse(process.argv[2] ?? '""') as FeltPart
const { figures } = await FELT[part]()
console.log(JSON.stringify(figures))

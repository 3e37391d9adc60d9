/** A process that runs turns which fold, until it is done or killed. */
import { writeSync } from 'node:fs';
import { runScript, type ScriptOptions } from './script.ts';

const { steps } = await runScript(JSON.parse(process.argv[2] ?? '') as ScriptOptions);
writeSync(2, `steps ${steps}`);

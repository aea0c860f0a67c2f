// SPDX-License-Identifier: MIT
// The interactive charts: one dygraph each, all with the same time column, the same window and the same
// crosshair. Data comes from the block #report-data; whatever is a name in it becomes text, never markup.
'use strict';

(() => {
	const data = JSON.parse(document.getElementById('report-data').textContent);
	const DASHES = [null, [7, 4], [2, 3]];
	const SEARCH = 40; // rows back to the last sample of a line that has none in this row

	// "1.5,,-": a number, no sample (the line passes), a gap (the line ends).
	const unpack = (text) => text.split(',').map((x) => (x === '' ? null : x === '-' ? NaN : Number(x)));
	const time = unpack(data.time);
	const everything = [data.start, data.end > data.start ? data.end : data.start + 1];
	const charts = [];
	let shown = everything;
	let busy = false;

	const colourOf = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
	const seriesColour = (line) => colourOf('--c' + line.colour);

	function digits(value) {
		if (value === null || Number.isNaN(value)) {
			return '–';
		}
		const size = Math.abs(value);
		const text = size >= 1000 ? Math.round(value).toString() : Number(value.toPrecision(4)).toString();
		return size >= 10000 ? text.replace(/\B(?=(\d{3})+$)/g, ',') : text;
	}

	const span = (t) => (t < 1 ? Number((t * 1e3).toPrecision(2)) + ' ms' : Number(t.toPrecision(2)) + ' s');
	const seconds = (t) => Number(t.toPrecision(7)) + ' s';

	// Packets come in bursts, one a round trip: a rate is a mean over a part of what is shown, but over no
	// less than a round trip, unless somebody looks that closely.
	function meanOver() {
		const width = shown[1] - shown[0];
		const part = width / data.stretches;
		return width < 20 * data.rtt ? part : Math.max(part, data.rtt);
	}

	// Centred means over `width` seconds; never across a gap.
	function boxcar(values, width) {
		const out = values.slice();
		let from = 0;
		while (from < values.length) {
			let to = from;
			while (to < values.length && !Number.isNaN(values[to])) {
				to++;
			}
			let low = from;
			let high = from;
			let sum = 0;
			let known = 0;
			for (let i = from; i < to; i++) {
				for (; high < to && time[high] <= time[i] + width / 2; high++) {
					sum += values[high] === null ? 0 : values[high];
					known += values[high] === null ? 0 : 1;
				}
				for (; time[low] < time[i] - width / 2; low++) {
					sum -= values[low] === null ? 0 : values[low];
					known -= values[low] === null ? 0 : 1;
				}
				if (values[i] !== null) {
					out[i] = known > 0 ? Math.max(sum / known, 0) : values[i];
				}
			}
			from = to + 1;
		}
		return out;
	}

	// Twice, so that bursts that do not divide the width leave no beat behind.
	const smooth = (values, width) => boxcar(boxcar(values, width * 0.7), width * 0.7);

	function prepare(chart) {
		chart.band = chart.lines.some((line) => line.kind === 'band');
		for (const line of chart.lines) {
			line.raw = unpack(line.y);
			line.values = line.raw;
			if (chart.band) {
				line.low = line.low ? unpack(line.low) : line.raw;
				line.high = line.high ? unpack(line.high) : line.raw;
			}
		}
	}

	function rowsOf(chart) {
		if (chart.smooth) {
			chart.mean = meanOver();
			for (const line of chart.lines) {
				line.values = smooth(line.raw, chart.mean);
			}
			const about = chart.section.querySelector('.about');
			about.textContent = 'mean over ' + span(chart.mean);
		}
		const column = (line) =>
			chart.band ? line.values.map((x, i) => [line.low[i], x, line.high[i]]) : line.values;
		const columns = chart.lines.map(column);
		return time.map((t, i) => [t].concat(columns.map((values) => values[i])));
	}

	// One stem a sample; those of several lines stand side by side.
	function stems(e) {
		const ctx = e.drawingContext;
		const bottom = e.dygraph.toDomYCoord(0);
		const aside = (e.seriesIndex - (e.seriesCount - 1) / 2) * 1.5;
		ctx.save();
		ctx.strokeStyle = e.color;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		for (const point of e.points) {
			if (point.yval > 0) {
				ctx.moveTo(point.canvasx + aside, bottom);
				ctx.lineTo(point.canvasx + aside, point.canvasy);
			}
		}
		ctx.stroke();
		ctx.restore();
	}

	function seriesOptions(line) {
		switch (line.kind) {
		case 'area':
			return { fillGraph: true, strokeWidth: 1, highlightCircleSize: 0 };
		case 'thin':
			return { strokeWidth: 0.9, strokePattern: DASHES[line.dash] };
		case 'bar':
			return { plotter: stems };
		default:
			return { strokeWidth: 1.7, strokePattern: DASHES[line.dash] };
		}
	}

	// ---- the key of a chart, with the values under the crosshair ----

	const shownAs = (chart, value) =>
		chart.words && value !== null && !Number.isNaN(value)
			? chart.words[Math.round(value)] || digits(value)
			: digits(value);

	function makeLegend(chart) {
		const legend = chart.section.querySelector('.legend');
		chart.lines.forEach((line) => {
			const item = document.createElement('span');
			const swatch = document.createElement('i');
			const name = document.createElement('bdi');
			line.output = document.createElement('b');
			line.item = item;
			swatch.className = line.kind === 'area' ? 'swatch area' : 'swatch f' + line.colour + ' d' + line.dash;
			name.textContent = line.label;
			line.output.textContent = '–';
			item.append(swatch, name, line.output);
			legend.append(item);
		});
	}

	function valueAt(line, row) {
		for (let i = row; i >= 0 && i > row - SEARCH; i--) {
			if (line.values[i] !== null) {
				return line.values[i];
			}
		}
		return null;
	}

	const clock = document.querySelector('.tools output');

	function point(row, from) {
		const t = time[row];
		clock.textContent = seconds(t);
		for (const chart of charts) {
			if (chart !== from) {
				chart.graph.setSelection(row);
			}
			const x = chart.graph.toDomXCoord(t);
			chart.crosshair.style.left = x + 'px';
			chart.crosshair.style.display = 'block';
			for (const line of chart.lines) {
				line.output.textContent = shownAs(chart, valueAt(line, row));
			}
		}
	}

	function unpoint() {
		clock.textContent = '';
		for (const chart of charts) {
			chart.graph.clearSelection();
			chart.crosshair.style.display = 'none';
			for (const line of chart.lines) {
				line.output.textContent = '–';
			}
		}
	}

	// ---- one window for all ----

	function clamp([from, to]) {
		const width = Math.min(to - from, everything[1] - everything[0]);
		const start = Math.min(Math.max(from, everything[0]), everything[1] - width);
		return [start, start + width];
	}

	// A choice keeps its words in sight.
	const heights = (chart) => (chart.words ? [-0.25, chart.words.length - 0.25] : null);

	function show(range) {
		shown = clamp(range);
		busy = true;
		for (const chart of charts) {
			const options = { dateWindow: shown, valueRange: heights(chart) };
			if (chart.smooth && Math.abs(meanOver() / chart.mean - 1) > 0.1) {
				options.file = rowsOf(chart);
			}
			chart.graph.updateOptions(options);
		}
		busy = false;
	}

	let waiting = null;
	function follow(graph) {
		if (busy) {
			return;
		}
		const [from, to] = graph.xAxisRange();
		if (from === shown[0] && to === shown[1]) {
			return;
		}
		// A drag draws many times a second; the others follow once a frame.
		if (waiting === null) {
			requestAnimationFrame(() => {
				const range = waiting;
				waiting = null;
				show(range);
			});
		}
		waiting = [from, to];
	}

	function zoom(factor) {
		const middle = (shown[0] + shown[1]) / 2;
		const half = ((shown[1] - shown[0]) / 2) * factor;
		show([middle - half, middle + half]);
	}

	function move(share) {
		const by = (shown[1] - shown[0]) * share;
		show([shown[0] + by, shown[1] + by]);
	}

	const actions = {
		in: () => zoom(0.5),
		out: () => zoom(2),
		left: () => move(-0.5),
		right: () => move(0.5),
		all: () => show(everything),
	};

	// One finger belongs to the page, which must scroll: it only points. Two fingers zoom.
	const usual = Dygraph.defaultInteractionModel;
	const interaction = Object.assign({}, usual, {
		touchstart: (event, g, context) => {
			if (event.touches.length > 1) {
				usual.touchstart(event, g, context);
				return;
			}
			const row = nearestRow(g.toDataXCoord(event.touches[0].clientX - g.canvas_.getBoundingClientRect().left));
			point(row, null);
		},
		touchmove: (event, g, context) => {
			if (event.touches.length > 1) {
				usual.touchmove(event, g, context);
			}
		},
		dblclick: () => show(everything),
	});

	function nearestRow(t) {
		let low = 0;
		let high = time.length - 1;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (time[middle] < t) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}
		return low > 0 && t - time[low - 1] < time[low] - t ? low - 1 : low;
	}

	// ---- drawing ----

	function colours(chart) {
		return {
			colors: chart.lines.map(seriesColour),
			gridLineColor: colourOf('--grid'),
			axisLineColor: colourOf('--edge'),
		};
	}

	// Before the warm-up ends nothing counts for the summary.
	function shadeWarmup(ctx, area, graph) {
		const end = graph.toDomXCoord(data.warmup);
		if (data.warmup > 0 && end > area.x) {
			ctx.fillStyle = colourOf('--area');
			ctx.globalAlpha = 0.6;
			ctx.fillRect(area.x, area.y, Math.min(end - area.x, area.w), area.h);
			ctx.globalAlpha = 1;
		}
	}

	// What the values of a choice stand for: inside, so that the time axes of all charts stay in line.
	function writeWords(chart, ctx, area, graph) {
		ctx.font = '12px system-ui, sans-serif';
		ctx.fillStyle = colourOf('--soft');
		chart.words.forEach((word, i) => ctx.fillText(word, area.x + 6, graph.toDomYCoord(i) - 5));
	}

	const wholeNumbers = (chart) => chart.words.map((word, i) => ({ v: i, label: '' }));

	function draw(chart) {
		chart.section = document.getElementById('chart-' + chart.id);
		const plot = chart.section.querySelector('.plot');
		const inner = document.createElement('div');
		inner.className = 'dygraph';
		chart.crosshair = document.createElement('div');
		chart.crosshair.className = 'crosshair';
		plot.append(inner, chart.crosshair);
		makeLegend(chart);
		prepare(chart);
		const rows = rowsOf(chart);
		const labels = ['t'].concat(chart.lines.map((line, i) => 's' + i));
		const series = {};
		chart.lines.forEach((line, i) => {
			series['s' + i] = seriesOptions(line);
		});
		chart.graph = new Dygraph(inner, rows, Object.assign(colours(chart), {
			labels,
			series,
			customBars: chart.band,
			connectSeparatedPoints: true,
			includeZero: chart.zero,
			dateWindow: shown,
			valueRange: heights(chart),
			stepPlot: Boolean(chart.words),
			legend: 'never',
			fillAlpha: 0.22,
			axes: {
				x: { axisLabelFormatter: seconds, axisLabelWidth: 70, pixelsPerLabel: 90, axisTickSize: 7 },
				y: { axisLabelFormatter: (y) => digits(y), axisLabelWidth: 46, pixelsPerLabel: 36 },
			},
			axisLabelFontSize: 12,
			highlightCircleSize: 3,
			rightGap: 12,
			interactionModel: interaction,
			underlayCallback: (ctx, area, graph) => {
				shadeWarmup(ctx, area, graph);
				if (chart.words) {
					writeWords(chart, ctx, area, graph);
				}
			},
			highlightCallback: (event, x, points, row) => point(row, chart),
			unhighlightCallback: unpoint,
			drawCallback: (graph, first) => {
				if (!first) {
					follow(graph);
				}
			},
		}));
		if (chart.words) {
			chart.graph.updateOptions({ axes: { y: { ticker: () => wholeNumbers(chart) } } });
		}
		chart.graph.setVisibility(chart.lines.map((line) => isOn(line.entity)));
		charts.push(chart);
	}

	// A chart in a closed block has no size: it is drawn when the block opens.
	function drawWhenOpen(chart) {
		const block = document.getElementById('chart-' + chart.id).closest('details');
		if (!block || block.open) {
			draw(chart);
			return;
		}
		block.addEventListener('toggle', () => draw(chart), { once: true });
	}

	// ---- flows on and off ----

	const off = new Set();
	const isOn = (entity) => !off.has(entity);

	function toggle(entity, button) {
		if (!off.delete(entity)) {
			off.add(entity);
		}
		button.setAttribute('aria-pressed', String(isOn(entity)));
		for (const chart of charts) {
			chart.graph.setVisibility(chart.lines.map((line) => isOn(line.entity)));
			chart.lines.forEach((line) => line.item.classList.toggle('off', !isOn(line.entity)));
		}
	}

	function makeChips() {
		const chips = document.querySelector('.chips');
		if (data.entities.length < 2) {
			return;
		}
		data.entities.forEach((entity, i) => {
			const button = document.createElement('button');
			const swatch = document.createElement('i');
			const name = document.createElement('bdi');
			button.type = 'button';
			button.setAttribute('aria-pressed', 'true');
			button.title = 'Show or hide in all charts';
			swatch.className = 'swatch f' + entity.colour + ' d' + entity.dash;
			name.textContent = entity.label;
			button.append(swatch, name);
			button.addEventListener('click', () => toggle(i, button));
			chips.append(button);
		});
	}

	// ---- light, dark and paper ----

	function recolour() {
		for (const chart of charts) {
			chart.graph.updateOptions(colours(chart));
		}
	}

	function resize() {
		for (const chart of charts) {
			chart.graph.resize();
		}
	}

	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', recolour);
	addEventListener('beforeprint', () => {
		document.documentElement.classList.add('printing');
		resize();
		recolour();
	});
	addEventListener('afterprint', () => {
		document.documentElement.classList.remove('printing');
		resize();
		recolour();
	});

	document.querySelector('.toolbar').hidden = false;
	document.querySelector('.tools').addEventListener('click', (event) => {
		const action = actions[event.target.dataset.do];
		if (action) {
			action();
		}
	});
	makeChips();
	data.charts.forEach(drawWhenOpen);
	window.weirReport = { charts, show, range: () => shown };
})();

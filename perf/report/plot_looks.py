"""The look of each structure in the plots of hashmill-compare: the same in every picture."""

import zlib

# Colour-blind safe: the palette of Okabe and Ito without its yellow, which is too pale for lines,
# and for peers most of Tol's muted scheme.
OUR_COLORS = {
    "blue": "#0072b2",
    "sky": "#56b4e9",
    "green": "#009e73",
    "orange": "#e69f00",
    "vermilion": "#d55e00",
    "pink": "#cc79a7",
    "black": "#000000",
    "gray": "#5a5a5a",
}
PEER_COLORS = {
    "indigo": "#332288",
    "cyan": "#88ccee",
    "teal": "#44aa99",
    "forest": "#117733",
    "olive": "#999933",
    "sand": "#ddcc77",
    "rose": "#cc6677",
    "wine": "#882255",
    "purple": "#aa4499",
}
POINTS = {"square": 4, "circle": 6, "up": 8, "down": 10, "diamond": 12, "pentagon": 14}  # if open
LOOKS = {  # other structures have a look by their name's hash
    "HashGraph V1": ("sky", "square"),
    "HashGraph V2": ("blue", "circle"),
    "HashGraph Probe-Standard": ("black", "circle"),
    "HashGraph Probe-Standard, added up": ("black", "square"),
    "HashGraph Probe-New": ("gray", "up"),
    "HashGraph Probe-New, runs of equal queries merged": ("gray", "diamond"),
    "HashGraph Probe-New, none merged": ("sky", "down"),
    "Chaining": ("green", "up"),
    "LinearProbing": ("vermilion", "square"),
    "LinearProbing, repeated keys": ("pink", "square"),
    "TagBucket": ("orange", "diamond"),
    "hash_join, automatic": ("blue", "circle"),
    "hash_join, look_up": ("sky", "square"),
    "hash_join, intersect": ("green", "up"),
    "hash_join, partitioned": ("vermilion", "square"),
    "hash_join, unique_keys": ("pink", "down"),
    "hash_join, tag_bucket": ("orange", "diamond"),
    "hash_join, array": ("black", "up"),
    "join_values": ("gray", "pentagon"),
    "group_by": ("blue", "circle"),
    "group_rows, aggregate": ("green", "up"),
    "group_by, strategy tag_bucket": ("orange", "diamond"),
    "DistributedHashGraph": ("blue", "circle"),
    "shuffle": ("green", "up"),
    "Communicator::exchange": ("orange", "diamond"),
    "Kokkos::UnorderedMap": ("indigo", "circle"),
    "std::unordered_multimap": ("olive", "square"),
    "tbb::concurrent_unordered_multimap": ("wine", "up"),
    "tbb::concurrent_hash_map": ("rose", "down"),
    "absl::flat_hash_map": ("forest", "diamond"),
    "boost::unordered_flat_map": ("purple", "pentagon"),
    "boost::concurrent_flat_map": ("cyan", "square"),
    "cuco::static_map, groups of 1": ("rose", "circle"),
    "cuco::static_map, groups of 2": ("olive", "square"),
    "cuco::static_map, groups of 4": ("wine", "up"),
    "cuco::static_map, groups of 8": ("cyan", "diamond"),
    "cuco::static_multiset, groups of 1": ("sand", "circle"),
    "cuco::static_multiset, groups of 2": ("teal", "square"),
    "cuco::static_multiset, groups of 4": ("purple", "up"),
    "cuco::static_multiset, groups of 8": ("forest", "diamond"),
    "DuckDB": ("wine", "circle"),
    "our implementation of NPO (MC-Hash), tuples": ("olive", "square"),
    "our implementation of PRH (MC-Hash), tuples": ("rose", "up"),
    "our implementation of PRO (MC-Hash), tuples": ("indigo", "down"),
}
IDEAL_STYLE = "with lines linecolor rgb '#666666' linewidth 1.5 dashtype 3"
OUR_BAR = "fillstyle solid 0.9 noborder"
PEER_BAR = "fillstyle solid 0.3 border"


def look(structure, is_peer):
    """The colour and the gnuplot point of a structure, whatever else there is in the picture."""
    colors = PEER_COLORS if is_peer else OUR_COLORS
    name = structure.split(", 1 thread")[0]
    if name in LOOKS and LOOKS[name][0] in colors:
        color, point = LOOKS[name]
        return colors[color], POINTS[point] + (not is_peer)
    number = zlib.crc32(name.encode())
    point = list(POINTS.values())[number // len(colors) % len(POINTS)]
    return list(colors.values())[number % len(colors)], point + (not is_peer)
